'use client'
import { type AgentView, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/forms/button'
import { Confirm } from '../../ui/overlays/late-confirm'

/** Disables or revokes a machine. */
export function AgentMenu({ agent }: { agent: AgentView }) {
  const hub = useHub()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<'disable' | 'revoke' | null>(null)
  const close = () => setAsked(null)
  const options = { onSuccess: close, onSettled: () => queries.invalidateQueries({ queryKey: ['agents'] }) }
  const revoke = useMutation({ mutationFn: () => hub.rest.revokeAgent(agent.agentId), ...options })
  const disable = useMutation({ mutationFn: () => hub.rest.disableAgent(agent.agentId), ...options })
  const enable = useMutation({ mutationFn: () => hub.rest.enableAgent(agent.agentId), ...options })
  const errorOf = ({ error }: { error: Error | null }) => (error ? toCodedError(error).toBody() : null)
  return (
    <>
      {agent.state === 'disabled' ? (
        <Button size="sm" disabled={enable.isPending} onClick={() => enable.mutate()}>
          Enable
        </Button>
      ) : (
        <Button size="sm" look="plain" onClick={() => setAsked('disable')}>
          Disable
        </Button>
      )}
      <Button size="sm" look="plain" onClick={() => setAsked('revoke')}>
        Revoke
      </Button>
      <Confirm
        open={asked === 'disable'}
        onClose={close}
        title={`Disable ${agent.name}?`}
        action="Disable"
        onConfirm={() => disable.mutate()}
        busy={disable.isPending}
        error={errorOf(disable)}
      >
        Running turns finish. Nothing new starts on this machine until you enable it again.
      </Confirm>
      <Confirm
        open={asked === 'revoke'}
        onClose={close}
        title={`Revoke ${agent.name}?`}
        action="Revoke"
        onConfirm={() => revoke.mutate()}
        busy={revoke.isPending}
        error={errorOf(revoke)}
      >
        Its programs stop within seconds, and its key is never accepted again. Transcripts are kept. To come back, the
        machine must be added again.
      </Confirm>
    </>
  )
}
