/**
 * Marks lists as stale. An answer in flight may be older than the change, so the page shows it and fetches once more after
 * it. All changes in the meantime share that fetch, so a busy hub is not asked endlessly.
 */
import type { QueryClient } from '@tanstack/react-query'

export async function outdate(queries: QueryClient, queryKey: readonly string[]): Promise<void> {
  // Nothing shows these now: without this, the answer in flight would count as fresh for the next view.
  await queries.cancelQueries({ queryKey, type: 'inactive' })
  const isAsked = queries.isFetching({ queryKey }) > 0
  await queries.invalidateQueries({ queryKey }, { cancelRefetch: false })
  if (isAsked) await queries.invalidateQueries({ queryKey }, { cancelRefetch: false })
}
