'use client'
import type { EnrollmentTokenMade } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { Check, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { useHub } from '../../live/hub-provider'
import { useAgents } from '../../live/use-agents'
import { CopyButton } from '../../ui/forms/copy-button'
import { Dialog } from '../../ui/overlays/dialog'
import { Approval } from './approval'

const POLL_MS = 1_500

export interface AddAgentDialogProps {
  made: EnrollmentTokenMade
  onClose: () => void
}

/** Shows one copyable command with a one-time token, and reports when the machine has connected. */
export function AddAgentDialog({ made, onClose }: AddAgentDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Add a machine"
      description="Run this command on the machine that you want to add. It works once and expires in 15 minutes."
    >
      <Waiting made={made} />
    </Dialog>
  )
}

function Waiting({ made }: { made: EnrollmentTokenMade }) {
  const hub = useHub()
  const { agents } = useAgents()
  const token = useQuery({
    queryKey: ['secret-token', made.tokenId],
    queryFn: () => hub.rest.enrollmentToken(made.tokenId),
    refetchInterval: POLL_MS,
  })
  const joined = agents.find((agent) => agent.agentId === token.data?.usedBy)
  return (
    <div className="space-y-4">
      <div className="rounded-md border border-line bg-sunken">
        <pre data-testid="join-command" className="overflow-x-auto whitespace-pre-wrap break-all p-3 font-mono text-xs">
          {made.command}
        </pre>
        <div className="flex justify-end border-line border-t p-2">
          <CopyButton text={made.command} />
        </div>
      </div>
      <p className="text-ink-2 text-sm">
        It needs <Code>roundhouse-agent</Code>; to build its installer, run <Code>npm run pack:agent</Code> next to this
        hub. The command contains this hub’s key, so the machine refuses any other hub. Then run on that machine:{' '}
        <Code>roundhouse-agent allow &lt;folder&gt;</Code>, <Code>roundhouse-agent up</Code>.
      </p>
      {isLocal(made.command) ? (
        <p className="text-needs text-sm">
          This address works only on the hub’s own machine. To add another machine, set ROUNDHOUSE_PUBLIC_URL to an
          address that it can reach (see .env.example), then come back.
        </p>
      ) : null}
      {joined?.state === 'pending' ? <Approval agent={joined} /> : null}
      <output className="flex items-center gap-2 text-sm" data-testid="join-state">
        {joined?.online ? (
          <>
            <Check className="size-4 text-done" aria-hidden />
            <span className="text-done">{joined.name} connected</span>
          </>
        ) : joined?.state === 'revoked' ? (
          `${joined.name} was rejected.`
        ) : joined ? (
          <>
            <LoaderCircle className="size-4 animate-spin text-working" aria-hidden />
            {joined.name} joined, waiting for {joined.state === 'pending' ? 'your approval' : 'it to connect'}…
          </>
        ) : token.data?.state === 'expired' || token.data?.state === 'burnt' ? (
          'This command has expired. Close this and create a new one.'
        ) : (
          <>
            <LoaderCircle className="size-4 animate-spin text-ink-3" aria-hidden />
            Waiting for the machine…
          </>
        )}
      </output>
    </div>
  )
}

function Code({ children }: { children: ReactNode }) {
  return <code className="rounded bg-sunken px-1 font-mono text-xs">{children}</code>
}

const isLocal = (command: string) => /https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|\s|$)/.test(command)
