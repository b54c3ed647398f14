'use client'
import Link from 'next/link'
import { useState } from 'react'
import { useAgents } from '../../../live/use-agents'
import { useMay } from '../../../live/use-me'
import { Choice } from '../../../ui/forms/choice'
import { FieldFollows } from '../../../ui/forms/field-follows'
import { EmptyState, ErrorNotice } from '../../../ui/forms/notice'
import { Dialog } from '../../../ui/overlays/dialog'
import { WHO_ADDS_MACHINES } from '../../agents/who-adds-machines'
import { lastSession } from './last-session'
import type { LikeSession } from './like-session'
import { machineOptions, pickMachine } from './machine-choice'
import { useMore } from './more/use-more'
import { NewSessionForm } from './new-session-form'
import { useFirstPrompt } from './use-first-prompt'

export interface NewSessionDialogProps {
  onClose: () => void
  /** Called before the page moves on to the session. */
  onStarted?: (() => void) | undefined
  like?: LikeSession | undefined
}

export function NewSessionDialog({ onClose, onStarted, like }: NewSessionDialogProps) {
  return (
    <Dialog open onOpenChange={onClose} title="New session">
      <Where
        like={like}
        onLeave={onClose}
        onStarted={() => {
          onStarted?.()
          onClose()
        }}
      />
    </Dialog>
  )
}

interface WhereProps {
  like: LikeSession | undefined
  onLeave: () => void
  onStarted: () => void
}

function Where({ like, onLeave, onStarted }: WhereProps) {
  const { agents, loaded, error } = useAgents()
  const usable = agents.filter((agent) => agent.state === 'active')
  const [agentId, setAgentId] = useState(() => like?.agentId ?? lastSession.get()?.agentId ?? null)
  const agent = pickMachine(usable, agentId)
  const draft = useFirstPrompt(like)
  const more = useMore(like?.settings)
  const mayAdd = useMay('token.manage')
  if (error) return <ErrorNotice error={error} />
  if (!loaded) return <FieldFollows>Loading machines…</FieldFollows>
  if (!agent) {
    return (
      <EmptyState
        title="No machines yet"
        action={
          mayAdd ? (
            <Link href="/agents" className="text-accent underline underline-offset-4" onClick={onLeave}>
              Go to Machines
            </Link>
          ) : null
        }
      >
        {mayAdd ? 'Sessions run on your machines. Add one first.' : `Sessions run on machines. ${WHO_ADDS_MACHINES}`}
      </EmptyState>
    )
  }
  return (
    <div className="space-y-4">
      <Choice label="Machine" value={agent.agentId} onChoose={setAgentId} options={machineOptions(usable)} />
      <NewSessionForm key={agent.agentId} agent={agent} like={like} draft={draft} more={more} onStarted={onStarted} />
    </div>
  )
}
