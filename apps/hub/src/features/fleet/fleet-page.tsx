'use client'
import { type InboxAsk, toCodedError } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { useInbox } from '../../live/inbox-provider'
import { usePeers } from '../../live/use-peers'
import { EmptyState, ErrorNotice, Loading } from '../../ui/forms/notice'
import { Page, Section } from '../../ui/page'
import { NewSessionButton } from '../sessions/new-session/new-session'
import { FleetRowView } from './fleet-row'
import { fleetRows } from './fleet-tree'
import { OpenAsks } from './open-asks'

const NONE: readonly InboxAsk[] = []
/** The sessions that changed last. An older one is found under Sessions. */
const MOST_SESSIONS = 200

/** Who works, for whom, how far they are, and what they ask. */
export function FleetPage() {
  const hub = useHub()
  const asks = useInbox()?.asks ?? NONE
  const { peers, loaded, error } = usePeers({ heartbeats: true })
  const sessions = useQuery({
    queryKey: ['sessions', 'fleet'],
    queryFn: () => hub.rest.sessions({ limit: MOST_SESSIONS, archived: 'false' }),
  })
  const problem = error ?? (sessions.error && !sessions.data ? toCodedError(sessions.error).toBody() : null)
  const rows = fleetRows(sessions.data?.items ?? [], peers)
  return (
    <Page title="Fleet" actions={<NewSessionButton />}>
      {problem ? (
        <ErrorNotice error={problem} next="The page tries again as soon as the hub responds." />
      ) : !loaded || !sessions.isSuccess ? (
        <Loading>Loading the fleet…</Loading>
      ) : rows.length === 0 ? (
        <EmptyState title="Nothing is at work" action={<NewSessionButton />}>
          Sessions and programs with a token appear here, with their phase, their cost and what they ask. A session that
          may start others shows them below it.
        </EmptyState>
      ) : (
        <>
          <OpenAsks asks={asks} />
          <Section title="Sessions and programs" count={rows.length}>
            <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
              {rows.map((row) => (
                <FleetRowView key={row.id} row={row} />
              ))}
            </ul>
          </Section>
        </>
      )}
    </Page>
  )
}
