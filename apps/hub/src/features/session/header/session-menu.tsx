'use client'
import { type SessionView, unsupportedField } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useHub } from '../../../live/hub-provider'
import { useMay } from '../../../live/use-me'
import { lateDialog } from '../../../ui/overlays/late-dialog'
import { Menu, MenuItem, MenuLine } from '../../../ui/overlays/menu'
import type { PopoverButtonProps } from '../../../ui/overlays/popover'
import { NewSessionDialog } from '../../sessions/new-session/new-session'
import { LateContextDialog } from '../composer/context/late-context'
import { useBackend } from '../composer/use-backend'
import type { ProgramDialogProps } from './program-dialog'
import type { RenameDialogProps } from './rename-dialog'
import type { SessionConfirmProps } from './session-confirm'
import type { SpawningDialogProps } from './spawning-dialog'
import type { TerminalDialogProps } from './terminal-dialog'
import { TreeItems } from './tree-items'

const RenameDialog = lateDialog<RenameDialogProps>(() =>
  import('./rename-dialog').then((module) => module.RenameDialog),
)

const SessionConfirm = lateDialog<SessionConfirmProps>(() =>
  import('./session-confirm').then((module) => module.SessionConfirm),
)

const ProgramDialog = lateDialog<ProgramDialogProps>(() =>
  import('./program-dialog').then((module) => module.ProgramDialog),
)

const TerminalDialog = lateDialog<TerminalDialogProps>(() =>
  import('./terminal-dialog').then((module) => module.TerminalDialog),
)

const SpawningDialog = lateDialog<SpawningDialogProps>(() =>
  import('./spawning-dialog').then((module) => module.SpawningDialog),
)

/** Rare actions on the whole session. */
export function SessionMenu({ view }: { view: SessionView }) {
  const hub = useHub()
  const [asked, setAsked] = useState<
    'rename' | 'like' | 'context' | 'program' | 'terminal' | 'kill' | 'end' | 'tree' | 'spawning' | 'delete' | null
  >(null)
  const close = () => setAsked(null)
  const { sessionId, settings, archived } = view
  const archive = useMutation({ mutationFn: () => hub.rest.rename(sessionId, { archived: !archived }) })
  const autoResume = useMutation({
    mutationFn: () => hub.rest.configure(sessionId, { autoResume: !settings.autoResume }),
  })
  const ended = view.status.status === 'ended'
  const backend = useBackend(view)
  const terminalResume = backend?.terminalResume
  const noResume = backend?.installed ? unsupportedField(backend, 'autoResume') : null
  const queries = backend?.capabilities.queries ?? []
  const mayAsk = useMay('session.prompt') && queries.length > 0
  const runs = !ended && view.status.status !== 'resumable' && view.status.status !== 'waiting_for_agent'
  return (
    <>
      <Menu label="More for this session" button={(props) => <MoreButton {...props} />}>
        <MenuItem onSelect={() => setAsked('rename')}>Rename…</MenuItem>
        <MenuItem onSelect={() => setAsked('like')}>New session like this…</MenuItem>
        {view.contextUsage || settings.roleId !== undefined ? (
          <MenuItem onSelect={() => setAsked('context')}>Context…</MenuItem>
        ) : null}
        {mayAsk ? (
          <MenuItem disabled={!runs} onSelect={() => setAsked('program')}>
            About the program…
          </MenuItem>
        ) : null}
        {terminalResume && view.backendSessionId ? (
          <MenuItem onSelect={() => setAsked('terminal')}>Continue in a terminal…</MenuItem>
        ) : null}
        <MenuItem onSelect={() => archive.mutate()}>{archived ? 'Unarchive' : 'Archive'}</MenuItem>
        {ended ? null : (
          <>
            <MenuItem
              checked={settings.autoResume === true}
              disabled={noResume !== null && settings.autoResume !== true}
              reason={noResume}
              onSelect={() => autoResume.mutate()}
            >
              Resume automatically after a crash
            </MenuItem>
            <TreeItems view={view} onAsk={setAsked} />
            <MenuLine />
            <MenuItem disabled={!runs} onSelect={() => setAsked('kill')}>
              {noResume === null ? 'Stop program (can resume)…' : 'Stop program…'}
            </MenuItem>
            <MenuItem onSelect={() => setAsked('end')}>End session for good…</MenuItem>
          </>
        )}
        <MenuItem danger onSelect={() => setAsked('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {asked === 'rename' ? <RenameDialog view={view} onClose={close} /> : null}
      {asked === 'context' ? <LateContextDialog view={view} onClose={close} /> : null}
      {asked === 'program' && backend ? (
        <ProgramDialog view={view} name={backend.label} queries={queries} onClose={close} />
      ) : null}
      {asked === 'terminal' && terminalResume ? (
        <TerminalDialog view={view} resume={terminalResume} runs={runs} onClose={close} />
      ) : null}
      <NewSessionDialog open={asked === 'like'} onClose={close} like={{ agentId: view.agentId, settings }} />
      {asked === 'spawning' ? <SpawningDialog view={view} onClose={close} /> : null}
      {asked === 'kill' || asked === 'end' || asked === 'tree' || asked === 'delete' ? (
        <SessionConfirm asked={asked} view={view} onClose={close} />
      ) : null}
    </>
  )
}

function MoreButton(props: PopoverButtonProps) {
  return (
    <button
      type="button"
      aria-label="More for this session"
      className="rounded-md p-1.5 text-ink-3 hover:bg-sunken hover:text-ink"
      {...props}
    >
      <Ellipsis className="size-4" aria-hidden />
    </button>
  )
}
