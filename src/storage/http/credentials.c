#include "config.h"

#include "storage/http/credentials.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/json.h"
#include "core/base/mem.h"

/* A variable that is set to something. */
static const char *env(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* --- files of settings ------------------------------------------------------------------------ */

static const char *profile_name(void)
{
    return env("AWS_PROFILE") ? env("AWS_PROFILE") : env("AWS_DEFAULT_PROFILE") ? env("AWS_DEFAULT_PROFILE") : "default";
}

/* "name = value" in the section [section] of a file; the last one counts. */
static bool read_setting(const char *path, const char *section, const char *name, struct gt_str *value)
{
    char line[4096], at[256] = "", key[256];
    bool found = false;
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        char *equals = strchr(line, '=');
        line[strcspn(line, "\r\n")] = 0;
        if (sscanf(line, " [ %255[^]]", at) == 1) {
            for (size_t n = strlen(at); n > 0 && at[n - 1] == ' '; n--)
                at[n - 1] = 0;
        } else if (strcmp(at, section) == 0 && *line != ' ' && *line != '\t' && equals && sscanf(line, "%255[^ \t=]", key) == 1 &&
                   strcmp(key, name) == 0) {
            const char *from = equals + 1 + strspn(equals + 1, " \t");
            size_t n = strlen(from);
            while (n > 0 && (from[n - 1] == ' ' || from[n - 1] == '\t'))
                n--;
            gt_str_clear(value);
            gt_str_addn(value, from, n);
            found = n > 0;
        }
    }
    if (file)
        fclose(file);
    return found;
}

/* The file that a variable names, or ~/.aws/NAME. */
static bool read_file(const char *variable, const char *name, const char *section, const char *setting, struct gt_str *value)
{
    struct gt_str path = {0};
    if (env(variable))
        gt_str_add(&path, env(variable));
    else
        gt_str_addf(&path, "%s/.aws/%s", env("HOME") ? env("HOME") : "", name);
    const bool found = path.s && read_setting(path.s, section, setting, value);
    gt_str_release(&path);
    return found;
}

bool gt_aws_setting(const char *name, struct gt_str *value)
{
    const char *profile = profile_name();
    struct gt_str section = {0};
    gt_str_addf(&section, "%s%s", strcmp(profile, "default") == 0 ? "" : "profile ", profile);
    const bool found = read_file("AWS_SHARED_CREDENTIALS_FILE", "credentials", profile, name, value) ||
                       (section.s && read_file("AWS_CONFIG_FILE", "config", section.s, name, value));
    gt_str_release(&section);
    return found;
}

/* --- documents ---------------------------------------------------------------------------------- */

/* What credential_process prints, and services answer. */
static bool take_document(struct gt_aws_credentials *found, const struct gt_buf *text)
{
    struct json_object *doc = NULL;
    if (gt_json_parse(&doc, (const char *)text->data, text->len, "credentials", NULL, NULL))
        return false;
    const char *key = gt_json_text(doc, "AccessKeyId"), *secret = gt_json_text(doc, "SecretAccessKey");
    const char *token = gt_json_text(doc, "SessionToken") ? gt_json_text(doc, "SessionToken") : gt_json_text(doc, "Token");
    if (key && secret) {
        gt_str_add(&found->key, key);
        gt_str_add(&found->secret, secret);
        gt_str_add(&found->token, token ? token : "");
    }
    json_object_put(doc);
    return key && secret;
}

static int run_process(struct gt_aws_credentials *found, const char *command, struct gt_err *err)
{
    struct gt_buf text = {0};
    char piece[4096];
    size_t n;
    FILE *pipe = popen(command, "re");
    if (!pipe && errno == EINVAL) /* "e" is of POSIX 2024 */
        pipe = popen(command, "r");
    int rc = pipe ? 0 : GT_FAIL;
    while (!rc && (n = fread(piece, 1, sizeof piece, pipe)) > 0)
        rc = gt_buf_append(&text, piece, n, NULL);
    if (pipe && pclose(pipe) != 0)
        rc = GT_FAIL;
    if (rc || !take_document(found, &text))
        rc = gt_fail(err, GT_FAIL, "credential_process of the AWS profile '%s' gives no credentials", profile_name());
    gt_buf_release(&text);
    return rc;
}

/* --- services ------------------------------------------------------------------------------------ */

/* Only to this machine, the hosts of Amazon's container services, or encrypted. */
static bool is_safe(const char *url)
{
    static const char *const hosts[] = {"https://",
                                        "http://localhost",
                                        "http://127.",
                                        "http://[::1]",
                                        "http://169.254.170.2",
                                        "http://169.254.170.23",
                                        "http://[fd00:ec2::23]"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (strncmp(url, hosts[i], strlen(hosts[i])) == 0 && (i == 0 || i == 2 || strchr(":/", url[strlen(hosts[i])])))
            return true;
    return false;
}

static int ask_container(struct gt_aws_credentials *found, struct gt_err *err)
{
    const char *full = env("AWS_CONTAINER_CREDENTIALS_FULL_URI"), *relative = env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const char *token = env("AWS_CONTAINER_AUTHORIZATION_TOKEN"), *file = env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    struct gt_str url = {0}, header = {0};
    struct gt_buf text = {0};
    char line[8192] = "";
    FILE *stream = file ? fopen(file, "re") : NULL;
    if (stream) {
        if (!fgets(line, sizeof line, stream))
            line[0] = 0;
        fclose(stream);
        line[strcspn(line, "\r\n")] = 0;
        token = line;
    }
    gt_str_addf(&url, "%s%s", relative ? "http://169.254.170.2" : "", relative ? relative : full);
    gt_str_addf(&header, "Authorization: %s", token ? token : "");
    int rc = gt_str_check(&url, err);
    rc = rc ? rc : gt_str_check(&header, err);
    if (!rc && !is_safe(url.s))
        rc = gt_fail(err, GT_USAGE, "AWS_CONTAINER_CREDENTIALS_FULL_URI names a host that may not be asked");
    rc = rc ? rc : gt_http_fetch("GET", url.s, token ? header.s : NULL, &text, err);
    if (!rc && !take_document(found, &text))
        rc = gt_fail(err, GT_FAIL, "the container's service of credentials gives none");
    gt_str_release(&url);
    gt_str_release(&header);
    gt_buf_release(&text);
    return rc;
}

static bool is_amazons(void)
{
    char line[64] = "";
    FILE *file = fopen("/sys/class/dmi/id/sys_vendor", "re");
    const bool is = file && fgets(line, sizeof line, file) && strncmp(line, "Amazon EC2", 10) == 0;
    if (file)
        fclose(file);
    return is;
}

static bool may_ask_machine(bool own_endpoint)
{
    const char *disabled = env("AWS_EC2_METADATA_DISABLED");
    struct gt_str source = {0};
    if (disabled)
        return strcasecmp(disabled, "false") == 0;
    const bool named = gt_aws_setting("credential_source", &source) && strcmp(source.s, "Ec2InstanceMetadata") == 0;
    gt_str_release(&source);
    return named || env("AWS_EC2_METADATA_SERVICE_ENDPOINT") || (!own_endpoint && is_amazons());
}

/* Version 2 of the service: a session, the name of the role, its keys.  Nothing there is no failure. */
static void ask_machine(struct gt_aws_credentials *found)
{
    static const char path[] = "latest/meta-data/iam/security-credentials/";
    const char *base = env("AWS_EC2_METADATA_SERVICE_ENDPOINT") ? env("AWS_EC2_METADATA_SERVICE_ENDPOINT") : "http://169.254.169.254";
    const char *slash = base[strlen(base) - 1] == '/' ? "" : "/";
    struct gt_str url = {0}, header = {0};
    struct gt_buf session = {0}, role = {0}, text = {0};
    gt_str_addf(&url, "%s%slatest/api/token", base, slash);
    int rc = url.failed || gt_http_fetch("PUT", url.s, "X-aws-ec2-metadata-token-ttl-seconds: 21600", &session, NULL);
    gt_str_addf(&header, "X-aws-ec2-metadata-token: %.*s", (int)session.len, (const char *)session.data);
    gt_str_clear(&url);
    gt_str_addf(&url, "%s%s%s", base, slash, path);
    rc = rc || url.failed || header.failed || gt_http_fetch("GET", url.s, header.s, &role, NULL);
    if (!rc) {
        const char *name = (const char *)role.data;
        gt_str_addf(&url, "%.*s", role.len ? (int)strcspn(name, "\r\n") : 0, role.len ? name : "");
    }
    rc = rc || url.failed || gt_http_fetch("GET", url.s, header.s, &text, NULL);
    if (!rc)
        take_document(found, &text);
    gt_str_release(&url);
    gt_str_release(&header);
    gt_buf_release(&session);
    gt_buf_release(&role);
    gt_buf_release(&text);
}

/* --- all of them ---------------------------------------------------------------------------------- */

static bool take_environment(struct gt_aws_credentials *found)
{
    if (!env("AWS_ACCESS_KEY_ID") || !env("AWS_SECRET_ACCESS_KEY"))
        return false;
    gt_str_add(&found->key, env("AWS_ACCESS_KEY_ID"));
    gt_str_add(&found->secret, env("AWS_SECRET_ACCESS_KEY"));
    gt_str_add(&found->token, env("AWS_SESSION_TOKEN") ? env("AWS_SESSION_TOKEN") : "");
    return true;
}

/* GT_NOENT: the profile has none. */
static int take_profile(struct gt_aws_credentials *found, struct gt_err *err)
{
    static const char *const others[] = {"role_arn", "sso_session", "sso_start_url", "web_identity_token_file"};
    struct gt_str value = {0};
    int rc = GT_NOENT;
    if (gt_aws_setting("aws_access_key_id", &found->key) && gt_aws_setting("aws_secret_access_key", &found->secret)) {
        gt_aws_setting("aws_session_token", &found->token);
        return 0;
    }
    gt_str_clear(&found->key);
    if (gt_aws_setting("credential_process", &value))
        rc = run_process(found, value.s, err);
    for (size_t i = 0; i < sizeof others / sizeof *others && rc == GT_NOENT; i++)
        if (gt_aws_setting(others[i], &value)) {
            rc = gt_fail(err, GT_USAGE, "the AWS profile '%s' has %s, which is not supported", profile_name(), others[i]);
            gt_hint(err, "eval \"$(aws configure export-credentials --format env)\"");
        }
    gt_str_release(&value);
    return rc;
}

static int find(struct gt_aws_credentials *found, bool own_endpoint, struct gt_err *err)
{
    if (env("AWS_NO_SIGN_REQUEST") || take_environment(found))
        return 0;
    int rc = take_profile(found, err);
    if (rc != GT_NOENT)
        return rc;
    if (env("AWS_CONTAINER_CREDENTIALS_FULL_URI") || env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"))
        return ask_container(found, err);
    if (may_ask_machine(own_endpoint))
        ask_machine(found);
    return 0;
}

static void copy(struct gt_str *to, const struct gt_str *from)
{
    gt_str_add(to, from->len ? from->s : "");
}

int gt_aws_credentials_find(struct gt_aws_credentials *found, bool own_endpoint, struct gt_err *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct gt_aws_credentials kept; /* until the process ends */
    static bool is_kept;
    int rc = 0;
    *found = (struct gt_aws_credentials){0};
    pthread_mutex_lock(&lock);
    if (!is_kept && (rc = find(&kept, own_endpoint, err)) != 0)
        gt_aws_credentials_release(&kept);
    is_kept = !rc;
    copy(&found->key, &kept.key);
    copy(&found->secret, &kept.secret);
    copy(&found->token, &kept.token);
    pthread_mutex_unlock(&lock);
    if (!rc && (found->key.failed || found->secret.failed || found->token.failed))
        rc = gt_no_memory(err);
    return rc;
}

void gt_aws_credentials_release(struct gt_aws_credentials *found)
{
    gt_str_release(&found->key);
    gt_str_release(&found->secret);
    gt_str_release(&found->token);
}
