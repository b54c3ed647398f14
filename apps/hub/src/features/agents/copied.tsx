'use client'
import { type AgentView, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useMay } from '../../live/use-me'
import { Button } from '../../ui/forms/button'
import { Confirm } from '../../ui/overlays/late-confirm'

/** Two disks used one key (JOIN-4): only a person knows whether the machine was restored or copied. */
export function Copied({ agent }: { agent: AgentView }) {
  const hub = useHub()
  const queries = useQueryClient()
  const mayManage = useMay('agent.manage')
  const [asked, setAsked] = useState(false)
  const accept = useMutation({
    mutationFn: () => hub.rest.acceptRestoredAgent(agent.agentId),
    onSuccess: () => setAsked(false),
    onSettled: () => queries.invalidateQueries({ queryKey: ['agents'] }),
  })
  return (
    <div className="flex flex-wrap items-center gap-3 border-line border-t px-4 py-3 text-sm">
      <p className="min-w-0 flex-1 basis-72 text-ink-2">
        A copy of this machine has connected, or its disk was restored to an older state. Until someone decides, nothing
        with its key can connect. If nobody restored it, revoke it.
      </p>
      {mayManage ? <Button onClick={() => setAsked(true)}>It was restored</Button> : null}
      <Confirm
        open={asked}
        onClose={() => setAsked(false)}
        title={`Allow ${agent.name} to connect again?`}
        action="Allow to connect"
        onConfirm={() => accept.mutate()}
        busy={accept.isPending}
        error={accept.error ? toCodedError(accept.error).toBody() : null}
      >
        The next machine that connects with its key is accepted. Make sure that no copy of its disk is running.
      </Confirm>
    </div>
  )
}
