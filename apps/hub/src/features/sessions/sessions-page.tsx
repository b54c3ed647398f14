'use client'
import type { SessionSummary } from '@roundhouse/backend-types'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useAgents } from '../../live/use-agents'
import { Button } from '../../ui/button'
import { Choice } from '../../ui/choice'
import { Field } from '../../ui/field'
import { EmptyState } from '../../ui/notice'
import { Page } from '../../ui/page'
import { NewSessionButton } from './new-session'
import { SessionList } from './session-row'

const states = [
  { value: '', label: 'Any state' },
  { value: 'needs_you', label: 'Needs you' },
  { value: 'running', label: 'Working' },
  { value: 'idle', label: 'Idle' },
  { value: 'resumable', label: 'Resumable' },
  { value: 'ended', label: 'Ended' },
]

export function SessionsPage() {
  const hub = useHub()
  const { agents } = useAgents()
  const [text, setText] = useState('')
  const [status, setStatus] = useState('')
  const [agentId, setAgentId] = useState('')
  const filter = useDeferredValue({
    ...(text ? { text } : {}),
    ...(status ? { status } : {}),
    ...(agentId ? { agentId } : {}),
  })
  const query = useInfiniteQuery({
    queryKey: ['sessions', filter],
    queryFn: ({ pageParam }) => hub.rest.sessions({ ...filter, ...(pageParam ? { cursor: pageParam } : {}) }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
  })
  const sessions: SessionSummary[] = query.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <Page title="Sessions" actions={<NewSessionButton />}>
      <div className="mb-4 grid gap-2 sm:grid-cols-[1fr_10rem_12rem]">
        <Field label="Search titles and folders" value={text} onChange={(event) => setText(event.target.value)} />
        <Choice label="State" options={states} value={status} onChoose={setStatus} />
        <Choice
          label="Machine"
          value={agentId}
          onChoose={setAgentId}
          options={[{ value: '', label: 'Any machine' }, ...agents.map((a) => ({ value: a.agentId, label: a.name }))]}
        />
      </div>
      {query.isSuccess && sessions.length === 0 ? (
        <EmptyState title="No sessions here" action={<NewSessionButton />}>
          {Object.keys(filter).length > 0
            ? 'Nothing matches the filter.'
            : 'Start one: it opens at once and streams live.'}
        </EmptyState>
      ) : (
        <SessionList sessions={sessions} />
      )}
      {query.hasNextPage ? (
        <div className="mt-4 text-center">
          <Button onClick={() => void query.fetchNextPage()} disabled={query.isFetchingNextPage}>
            Show more
          </Button>
        </div>
      ) : null}
    </Page>
  )
}
