'use client'
import { type AgentView, shortFingerprint, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useHubSettings } from '../../live/use-hub-settings'
import { useMay } from '../../live/use-me'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { Confirm } from '../../ui/overlays/late-confirm'

/** The key that a person compares before a machine may join, and the buttons Approve and Reject. */
export function Approval({ agent }: { agent: AgentView }) {
  const mayManage = useMay('agent.manage')
  return (
    <div className="space-y-3">
      <p className="text-ink-2 text-sm">
        {mayManage
          ? 'It can do nothing until you approve it. Approve it only if roundhouse-agent printed these two lines on that machine.'
          : 'It can do nothing until someone who manages machines approves it.'}
      </p>
      <Keys agent={agent} />
      {mayManage ? <Answers agent={agent} /> : null}
    </div>
  )
}

/** The same words and groups as the machine's own output, so that a person can compare both. */
function Keys({ agent }: { agent: AgentView }) {
  const hubKey = useHubSettings()?.hubKeyFingerprint
  const rows = [
    ['key of this machine', agent.keyFingerprint],
    ['key of the hub', hubKey],
  ] as const
  return (
    <dl className="grid gap-x-6 gap-y-1 rounded-md bg-sunken px-3 py-2 text-sm sm:grid-cols-[max-content_1fr]">
      {rows.map(([name, key]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd title={key} className="mb-1 font-mono sm:mb-0">
            {key === undefined ? '…' : shortFingerprint(key)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Answers({ agent }: { agent: AgentView }) {
  const hub = useHub()
  const queries = useQueryClient()
  const [refusing, setRefusing] = useState(false)
  const onSettled = () => queries.invalidateQueries({ queryKey: ['agents'] })
  const approve = useMutation({ mutationFn: () => hub.rest.approveAgent(agent.agentId), onSettled })
  const refuse = useMutation({ mutationFn: () => hub.rest.refuseAgent(agent.agentId), onSettled })
  return (
    <>
      {approve.error ? <ErrorNotice error={toCodedError(approve.error).toBody()} /> : null}
      <div className="flex justify-end gap-2">
        <Button look="danger" onClick={() => setRefusing(true)}>
          Reject
        </Button>
        <Button look="solid" disabled={approve.isPending} onClick={() => approve.mutate()}>
          Approve
        </Button>
      </div>
      <Confirm
        open={refusing}
        onClose={() => setRefusing(false)}
        title={`Reject ${agent.name}?`}
        action="Reject for good"
        onConfirm={() => refuse.mutate()}
        busy={refuse.isPending}
        error={refuse.error ? toCodedError(refuse.error).toBody() : null}
      >
        Its key is never accepted here. To try again, add the machine again.
      </Confirm>
    </>
  )
}
