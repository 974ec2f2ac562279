/* Credentials and settings for s3://, found as Amazon's tools find them.  Private to src/storage.
 *
 * Keys come from the first of these that has some: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; the profile in the files of
 * credentials and of the configuration, with credential_process; the container (AWS_CONTAINER_CREDENTIALS_FULL_URI or _RELATIVE_URI);
 * the metadata service of the machine.  The last is asked if AWS_EC2_METADATA_SERVICE_ENDPOINT names it, the profile says
 * `credential_source = Ec2InstanceMetadata`, AWS_EC2_METADATA_DISABLED is "false", or the machine says that it is Amazon's and no other
 * endpoint is used; never if AWS_EC2_METADATA_DISABLED is "true". */
#ifndef GT_STORE_CREDENTIALS_H
#define GT_STORE_CREDENTIALS_H

#include "core/base/str.h"

struct gt_aws_credentials {
    struct gt_str key, secret, token; /* empty: anonymous, or no session token */
};

/* A setting of the profile: from the file of credentials, then of the configuration.  false, and nothing added: there is none. */
bool gt_aws_setting(const char *name, struct gt_str *value);
/* own_endpoint: another server than Amazon's is used.  What was found is kept for later calls.  GT_USAGE: the profile needs what we
 * cannot do, such as to assume a role. */
int gt_aws_credentials_find(struct gt_aws_credentials *found, bool own_endpoint, struct gt_err *err);
void gt_aws_credentials_release(struct gt_aws_credentials *found);

/* One request without retries for a small document, at most a few seconds long, through no proxy.  GT_FAIL: no document.
 * header: NULL = none. */
int gt_http_fetch(const char *method, const char *url, const char *header, struct gt_buf *text, struct gt_err *err);

#endif
