'use client'
import { type SessionSummary, toCodedError } from '@roundhouse/backend-types'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/forms/button'
import { EmptyState, ErrorNotice, Loading } from '../../ui/forms/notice'
import { Page } from '../../ui/page'
import { NewSessionButton } from './new-session/new-session'
import { SessionFilters } from './session-filters'
import { SessionList } from './session-row'
import { useComingIntoView } from './use-coming-into-view'
import { useFilter } from './use-filter'

export function SessionsPage() {
  const hub = useHub()
  const { filter, setFilter, clear } = useFilter()
  const wanted = useDeferredValue(filter)
  const query = useInfiniteQuery({
    queryKey: ['sessions', wanted],
    queryFn: ({ pageParam }) => hub.rest.sessions({ ...wanted, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  })
  const sessions: SessionSummary[] = query.data?.pages.flatMap((page) => page.items) ?? []
  const filtered = Object.keys(wanted).some((name) => name !== 'archived') || wanted.archived === 'true'
  const more = useComingIntoView<HTMLDivElement>(() => {
    if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
  })
  return (
    <Page title="Sessions" actions={<NewSessionButton />}>
      <SessionFilters filter={filter} onFilter={setFilter} />
      {query.error && !query.data ? (
        <ErrorNotice
          error={toCodedError(query.error).toBody()}
          action={
            <Button size="sm" onClick={() => void query.refetch()}>
              Try again
            </Button>
          }
        />
      ) : query.isPending ? (
        <Loading>Loading sessions…</Loading>
      ) : sessions.length > 0 ? (
        <SessionList sessions={sessions} />
      ) : filtered ? (
        <EmptyState title="No matching sessions" action={<Button onClick={clear}>Clear filters</Button>}>
          No session matches all filters.
        </EmptyState>
      ) : (
        <EmptyState title="No sessions yet" action={<NewSessionButton />}>
          Start one and follow it live.
        </EmptyState>
      )}
      {query.hasNextPage ? (
        <div ref={more} className="mt-4 text-center">
          <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
            {query.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </div>
      ) : null}
    </Page>
  )
}
