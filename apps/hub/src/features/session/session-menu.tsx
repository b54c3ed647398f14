'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { Check, Ellipsis } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { late } from '../../ui/late'
import { Confirm } from '../../ui/late-confirm'
import { NewSessionDialog } from '../sessions/new-session'
import type { RenameDialogProps } from './rename-dialog'

const itemClass =
  'flex cursor-pointer items-center justify-between gap-4 rounded px-2.5 py-1.5 text-sm outline-none data-[highlighted]:bg-sunken data-[disabled]:cursor-default data-[disabled]:opacity-50'

const RenameDialog = late<RenameDialogProps>(() => import('./rename-dialog').then((module) => module.RenameDialog))

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
      <DropdownMenu.Root>
        <DropdownMenu.Trigger
          aria-label="More for this session"
          className="rounded-md p-1.5 text-ink-3 hover:bg-sunken hover:text-ink"
        >
          <Ellipsis className="size-4" aria-hidden />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            className="z-40 min-w-56 rounded-lg border border-line bg-raised p-1 shadow-pop"
          >
            <DropdownMenu.Item className={itemClass} onSelect={() => setAsked('rename')}>
              Rename…
            </DropdownMenu.Item>
            <DropdownMenu.Item className={itemClass} onSelect={() => setAsked('like')}>
              New session like this…
            </DropdownMenu.Item>
            <DropdownMenu.Item className={itemClass} onSelect={() => archive.mutate()}>
              {archived ? 'Take out of the archive' : 'Archive'}
            </DropdownMenu.Item>
            {ended ? null : (
              <>
                <DropdownMenu.CheckboxItem
                  className={itemClass}
                  checked={settings.autoResume === true}
                  onSelect={() => autoResume.mutate()}
                >
                  Resume by itself after a crash
                  <DropdownMenu.ItemIndicator>
                    <Check className="size-4" aria-hidden />
                  </DropdownMenu.ItemIndicator>
                </DropdownMenu.CheckboxItem>
                <DropdownMenu.Separator className="my-1 h-px bg-line" />
                <DropdownMenu.Item className={itemClass} disabled={!runs} onSelect={() => setAsked('kill')}>
                  Stop the program…
                </DropdownMenu.Item>
                <DropdownMenu.Item className={itemClass} onSelect={() => setAsked('end')}>
                  End session…
                </DropdownMenu.Item>
              </>
            )}
            <DropdownMenu.Item className={`${itemClass} text-failed`} onSelect={() => setAsked('delete')}>
              Delete…
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {asked === 'rename' ? <RenameDialog view={view} onClose={close} /> : null}
      <NewSessionDialog open={asked === 'like'} onClose={close} like={{ agentId: view.agentId, settings }} />
      <Confirm
        open={asked === 'kill'}
        onClose={close}
        title="Stop the program?"
        action="Stop the program"
        onConfirm={() => kill.mutate()}
        busy={kill.isPending}
        error={errorOf(kill)}
      >
        For a program that hangs. A running turn ends where it is; your next prompt continues the same conversation.
      </Confirm>
      <Confirm
        open={asked === 'end'}
        onClose={close}
        title="End this session?"
        action="End session"
        onConfirm={() => stop.mutate()}
        busy={stop.isPending}
        error={errorOf(stop)}
      >
        The program is stopped and takes no more prompts. The transcript stays.
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
        The transcript is erased here and on the machine. What the program itself keeps about the conversation stays
        there.
      </Confirm>
    </>
  )
}
