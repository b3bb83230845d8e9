/*
 * http_outcome: what libcurl knows of a transfer, in our words.
 */
#pragma once

#include <curl/curl.h>

#include "common/error.h"

long http_outcome_status(CURL *easy); /* 0: no answer has begun */
long
http_outcome_retry_after_s(CURL *easy); /* 0: it does not say, or more than a day */

time_t http_outcome_date(CURL *easy); /* of the answer; 0: it does not say */

/* Why there is no answer. */
enum error_kind http_outcome_silence(CURL *easy, CURLcode outcome);
