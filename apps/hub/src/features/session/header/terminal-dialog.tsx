'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { CopyButton } from '../../../ui/forms/copy-button'
import { Dialog } from '../../../ui/overlays/dialog'
import { terminalCommand } from './terminal-command'

export interface TerminalDialogProps {
  view: SessionView
  /** `terminalResume` of the session's program. */
  resume: string
  /** The session's program is running now. */
  runs: boolean
  onClose: () => void
}

/** Shows how to continue the conversation in the program's own terminal. What happens there appears here later (RES-9). */
export function TerminalDialog({ view, resume, runs, onClose }: TerminalDialogProps) {
  const command = terminalCommand(view, { terminalResume: resume }) ?? ''
  return (
    <Dialog open onOpenChange={onClose} title="Continue in a terminal">
      <div className="space-y-3 text-sm">
        {runs ? (
          <p>
            The program is running here. Choose <strong>Stop program (can resume)</strong> first, so that only one of
            them writes to the conversation.
          </p>
        ) : null}
        <p>Run this on {view.agentName}:</p>
        <div className="rounded-md border border-line bg-sunken">
          <pre
            data-testid="terminal-command"
            className="overflow-x-auto whitespace-pre-wrap break-all p-3 font-mono text-xs"
          >
            {command}
          </pre>
          <div className="flex justify-end border-line border-t p-2">
            <CopyButton text={command} />
          </div>
        </div>
        <p className="text-ink-2">Prompts and answers from the terminal appear here when you come back.</p>
      </div>
    </Dialog>
  )
}
