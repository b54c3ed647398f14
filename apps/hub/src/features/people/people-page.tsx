'use client'
import { type Me, toCodedError } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useMe } from '../../live/use-me'
import { Button } from '../../ui/forms/button'
import { EmptyState, ErrorNotice, Loading } from '../../ui/forms/notice'
import { late } from '../../ui/overlays/late'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { Page, Section } from '../../ui/page'
import { InvitationRow } from './invitation-row'
import type { InviteDialogProps } from './invite-dialog'
import { PersonRow } from './person-row'

const InviteDialog = lateDialog<InviteDialogProps>(() =>
  import('./invite-dialog').then((module) => module.InviteDialog),
)
const AllWebhooks = late(() => import('../webhooks/all-webhooks').then((module) => module.AllWebhooks))
/** A person who uses a link appears while the page is open. */
const LOOK_MS = 5_000
const list = 'divide-y divide-line rounded-lg border border-line bg-surface'

export function PeoplePage() {
  const me = useMe()
  const [inviting, setInviting] = useState(false)
  const mayManage = me?.may.includes('user.manage') ?? false
  const actions = (
    <>
      <Link href="/audit" className="px-2 text-ink-2 text-sm underline-offset-4 hover:text-ink hover:underline">
        Audit log
      </Link>
      <Button look="solid" onClick={() => setInviting(true)} icon={<UserPlus className="size-4" aria-hidden />}>
        Invite
      </Button>
    </>
  )
  return (
    <Page title="People" actions={mayManage ? actions : null}>
      {!me ? (
        <Loading>Loading people…</Loading>
      ) : mayManage ? (
        <People me={me} />
      ) : (
        <EmptyState title="Only owners and admins see this page">Ask one of them to change your role.</EmptyState>
      )}
      {inviting && me ? <InviteDialog own={me.role} onClose={() => setInviting(false)} /> : null}
    </Page>
  )
}

function People({ me }: { me: Me }) {
  const hub = useHub()
  const people = useQuery({ queryKey: ['people'], queryFn: () => hub.rest.people(), refetchInterval: LOOK_MS })
  const invitations = useQuery({
    queryKey: ['invitations'],
    queryFn: () => hub.rest.invitations(),
    refetchInterval: LOOK_MS,
  })
  const open = invitations.data?.items.filter(({ state }) => state === 'open') ?? []
  if (people.error) return <ErrorNotice error={toCodedError(people.error).toBody()} />
  if (!people.data) return <Loading>Loading people…</Loading>
  return (
    <>
      <Section title="People" count={people.data.items.length}>
        <ul className={list}>
          {people.data.items.map((person) => (
            <PersonRow key={person.userId} person={person} me={me} />
          ))}
        </ul>
      </Section>
      {open.length > 0 ? (
        <Section title="Pending invitations" count={open.length}>
          <ul className={list}>
            {open.map((invitation) => (
              <InvitationRow key={invitation.invitationId} invitation={invitation} />
            ))}
          </ul>
        </Section>
      ) : null}
      <AllWebhooks />
    </>
  )
}
