/**
 * Says that lists are stale. An answer that is on its way may have been read before the change, so it is shown and one more
 * is asked for behind it. All changes that come meanwhile share that one, so that a busy hub is never asked without end.
 */
import type { QueryClient } from '@tanstack/react-query'

export async function outdate(queries: QueryClient, queryKey: readonly string[]): Promise<void> {
  // Nobody looks at these now: without this, the answer on its way would count as fresh for whoever looks next.
  await queries.cancelQueries({ queryKey, type: 'inactive' })
  const isAsked = queries.isFetching({ queryKey }) > 0
  await queries.invalidateQueries({ queryKey }, { cancelRefetch: false })
  if (isAsked) await queries.invalidateQueries({ queryKey }, { cancelRefetch: false })
}
