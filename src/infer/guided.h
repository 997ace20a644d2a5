/*
 * What engine search found, told as what engine solve finds: the executor follows the order of the attempt, so that memory holds what it held there and no guess is
 * wrong, and an interleaving is inferred of that. Also where solve found nothing: it had not known where to begin.
 */
#ifndef RETHREAD_GUIDED_H
#define RETHREAD_GUIDED_H

#include "infer/work.h"

#include <rethread/search.h>

/*
 * The attempt's schedule has been kept (work_keep) and is proven. True: the explanation, and with it the schedule where that is another one, is the executor's now. False: nothing has changed; it could not follow the attempt, or that would have taken long.
 */
bool guided_tell(struct work *w, const struct rt_attempt *a);

#endif
