'use client'
import {
  type AuditItem,
  type AuditPage as AuditPageBody,
  type PersonView,
  toCodedError,
} from '@roundhouse/backend-types'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useAgents } from '../../live/use-agents'
import { useMe } from '../../live/use-me'
import { Button } from '../../ui/forms/button'
import { FilterChoice } from '../../ui/forms/filter-choice'
import { EmptyState, ErrorNotice, Loading } from '../../ui/forms/notice'
import { Page } from '../../ui/page'
import { AuditRow } from './audit-row'
import { kinds } from './audit-words'
import { ChainState } from './chain-state'
import { exportAudit } from './export-audit'

export function AuditPage() {
  const hub = useHub()
  const me = useMe()
  const mayRead = me?.may.includes('audit.read') ?? false
  const download = useMutation({ mutationFn: () => exportAudit(hub.rest) })
  const button = (
    <Button
      disabled={download.isPending}
      onClick={() => download.mutate()}
      icon={<Download className="size-4" aria-hidden />}
    >
      Export
    </Button>
  )
  return (
    <Page title="Audit log" actions={mayRead ? button : null}>
      {download.error ? <ErrorNotice className="mb-4" error={toCodedError(download.error).toBody()} /> : null}
      {!me ? (
        <Loading>Loading the audit log…</Loading>
      ) : mayRead ? (
        <Log />
      ) : (
        <EmptyState title="Only owners and admins see this page">Ask one of them for the details.</EmptyState>
      )}
    </Page>
  )
}

function Log() {
  const hub = useHub()
  const [filter, setFilter] = useState({ actorId: '', action: '' })
  const log = useInfiniteQuery({
    queryKey: ['audit', filter],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      hub.rest.audit({
        ...(filter.actorId ? { actorId: filter.actorId } : {}),
        ...(filter.action ? { action: filter.action } : {}),
        ...(pageParam ? { cursor: pageParam } : {}),
      }),
    getNextPageParam: ({ next }) => next,
    refetchOnMount: 'always',
  })
  const pages = log.data?.pages ?? noPages
  const items = useMemo(() => pages.flatMap((page) => page.items), [pages])
  const names = useNames(items)
  return (
    <>
      {pages[0] ? <ChainState state={pages[0].state} /> : null}
      <search className="mb-4 grid grid-cols-2 gap-2 sm:max-w-md">
        <Who value={filter.actorId} onChoose={(actorId) => setFilter({ ...filter, actorId })} />
        <FilterChoice
          label="What"
          any="Anything"
          options={kinds}
          value={filter.action}
          onChoose={(action) => setFilter({ ...filter, action })}
        />
      </search>
      {log.error ? <ErrorNotice error={toCodedError(log.error).toBody()} /> : null}
      {log.isPending ? <Loading>Loading the audit log…</Loading> : null}
      {items.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {items.map((item) => (
            <AuditRow key={item.id} item={item} names={names} />
          ))}
        </ul>
      ) : log.data ? (
        <EmptyState title="No matching entries">Choose another person or another action.</EmptyState>
      ) : null}
      {log.hasNextPage ? (
        <div className="mt-4 flex justify-center">
          <Button disabled={log.isFetchingNextPage} onClick={() => log.fetchNextPage()}>
            Load older
          </Button>
        </div>
      ) : null}
    </>
  )
}

/** The log itself names people who are gone, and an invitation by the person it was for. */
function useNames(items: readonly AuditItem[]): ReadonlyMap<string, string> {
  const hub = useHub()
  const invitations = useQuery({ queryKey: ['invitations'], queryFn: () => hub.rest.invitations() }).data?.items
  const people = usePeople()
  const { agents } = useAgents()
  return useMemo(
    () =>
      new Map([
        ...items.flatMap(({ actorId, actorName }) => (actorName ? [[actorId, actorName] as const] : [])),
        ...(invitations ?? []).map(({ invitationId, email }) => [invitationId, email] as const),
        ...people.map(({ userId, name }) => [userId, name] as const),
        ...agents.map(({ agentId, name }) => [agentId, name] as const),
      ]),
    [items, invitations, people, agents],
  )
}

const nobody: PersonView[] = []
const noPages: AuditPageBody[] = []

function usePeople(): PersonView[] {
  const hub = useHub()
  return useQuery({ queryKey: ['people'], queryFn: () => hub.rest.people() }).data?.items ?? nobody
}

function Who({ value, onChoose }: { value: string; onChoose: (actorId: string) => void }) {
  const people = usePeople()
  const options = [
    ...people.map(({ userId, name }) => [userId, name] as const),
    ['hub', 'The hub itself'] as const,
    ['stranger', 'Unknown'] as const,
  ]
  return <FilterChoice label="Who" any="Anyone" options={options} value={value} onChoose={onChoose} />
}
