'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Confirm } from '../../ui/late-confirm'
import { lateDialog } from '../../ui/late-dialog'
import { Menu, MenuItem, MenuLine } from '../../ui/menu'
import type { PopoverButtonProps } from '../../ui/popover'
import { NewSessionDialog } from '../sessions/new-session'
import type { RenameDialogProps } from './rename-dialog'

const RenameDialog = lateDialog<RenameDialogProps>(() =>
  import('./rename-dialog').then((module) => module.RenameDialog),
)

/** What is done with a session as a whole, seldom. */
export function SessionMenu({ view }: { view: SessionView }) {
  const hub = useHub()
  const router = useRouter()
  const [asked, setAsked] = useState<'rename' | 'like' | 'kill' | 'end' | 'delete' | null>(null)
  const close = () => setAsked(null)
  const { sessionId, settings, archived } = view
  const stop = useMutation({ mutationFn: () => hub.rest.stop(sessionId), onSuccess: close })
  const kill = useMutation({ mutationFn: () => hub.rest.endProcess(sessionId), onSuccess: close })
  const archive = useMutation({ mutationFn: () => hub.rest.rename(sessionId, { archived: !archived }) })
  const autoResume = useMutation({
    mutationFn: () => hub.rest.configure(sessionId, { autoResume: !settings.autoResume }),
  })
  const remove = useMutation({
    mutationFn: () => hub.rest.deleteSession(sessionId),
    onSuccess: () => router.push('/sessions'),
  })
  const ended = view.status.status === 'ended'
  const runs = !ended && view.status.status !== 'resumable' && view.status.status !== 'waiting_for_agent'
  const errorOf = ({ error }: { error: Error | null }) => (error ? toCodedError(error).toBody() : null)
  return (
    <>
      <Menu label="More for this session" button={(props) => <MoreButton {...props} />}>
        <MenuItem onSelect={() => setAsked('rename')}>Rename…</MenuItem>
        <MenuItem onSelect={() => setAsked('like')}>New session like this…</MenuItem>
        <MenuItem onSelect={() => archive.mutate()}>{archived ? 'Unarchive' : 'Archive'}</MenuItem>
        {ended ? null : (
          <>
            <MenuItem checked={settings.autoResume === true} onSelect={() => autoResume.mutate()}>
              Resume automatically after a crash
            </MenuItem>
            <MenuLine />
            <MenuItem disabled={!runs} onSelect={() => setAsked('kill')}>
              Stop program (can resume)…
            </MenuItem>
            <MenuItem onSelect={() => setAsked('end')}>End session for good…</MenuItem>
          </>
        )}
        <MenuItem danger onSelect={() => setAsked('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {asked === 'rename' ? <RenameDialog view={view} onClose={close} /> : null}
      <NewSessionDialog open={asked === 'like'} onClose={close} like={{ agentId: view.agentId, settings }} />
      <Confirm
        open={asked === 'kill'}
        onClose={close}
        title="Stop program?"
        action="Stop program"
        onConfirm={() => kill.mutate()}
        busy={kill.isPending}
        error={errorOf(kill)}
      >
        Use this when the program hangs. The current turn ends; your next prompt continues the same conversation.
      </Confirm>
      <Confirm
        open={asked === 'end'}
        onClose={close}
        title="End this session for good?"
        action="End session for good"
        onConfirm={() => stop.mutate()}
        busy={stop.isPending}
        error={errorOf(stop)}
      >
        The program stops, and the session takes no more prompts. The transcript stays.
      </Confirm>
      <Confirm
        open={asked === 'delete'}
        onClose={close}
        title="Delete this session?"
        action="Delete for good"
        onConfirm={() => remove.mutate()}
        busy={remove.isPending}
        error={errorOf(remove)}
      >
        The transcript is erased here and on the machine. The program’s own record of the conversation stays on the
        machine.
      </Confirm>
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
