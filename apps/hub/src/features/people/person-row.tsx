'use client'
import type { PersonView, Role } from '@roundhouse/backend-types'
import { clsx } from 'clsx'
import { useState } from 'react'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { PlainText } from '../../ui/text/plain-text'
import { agoWords } from '../../ui/text/time'
import type { PersonDialogProps } from './person-dialog'
import { rolesToGive, roleWords } from './roles'

const PersonDialog = lateDialog<PersonDialogProps>(() =>
  import('./person-dialog').then((module) => module.PersonDialog),
)

interface PersonRowProps {
  person: PersonView
  me: { userId: string; role: Role }
}

export function PersonRow({ person, me }: PersonRowProps) {
  const now = useNow()
  const [open, setOpen] = useState(false)
  const isMe = person.userId === me.userId
  return (
    <li
      data-testid={`person-${person.email}`}
      className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 text-sm"
    >
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium [overflow-wrap:anywhere]">
          <PlainText>{person.name}</PlainText>
          {isMe ? <span className="ml-2 font-normal text-ink-3 text-xs">you</span> : null}
        </p>
        <p className="text-ink-2 text-xs [overflow-wrap:anywhere]">
          <PlainText>{person.email}</PlainText>
        </p>
      </div>
      <span className={clsx('sm:w-20', person.disabled ? 'text-failed' : 'text-ink-2')}>
        {person.disabled ? 'Disabled' : roleWords[person.role].label}
      </span>
      <span className="text-ink-3 sm:w-24 text-xs tabular-nums">{machinesOf(person)}</span>
      <span className="text-ink-3 sm:w-32 text-xs tabular-nums">
        {person.lastLoginAt === null ? 'signed out' : `signed in ${agoWords(person.lastLoginAt, now)}`}
      </span>
      <span className="ml-auto flex justify-end sm:w-18">
        {!isMe && rolesToGive(me.role).includes(person.role) ? (
          <Button size="sm" onClick={() => setOpen(true)} aria-label={`Change ${person.name}`}>
            Change
          </Button>
        ) : null}
      </span>
      {open ? <PersonDialog person={person} own={me.role} onClose={() => setOpen(false)} /> : null}
    </li>
  )
}

function machinesOf({ agents }: PersonView): string {
  if (agents === null) return 'all machines'
  return agents.length === 1 ? '1 machine' : `${agents.length} machines`
}
