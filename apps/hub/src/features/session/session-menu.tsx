'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'

const itemClass = 'cursor-pointer rounded px-2.5 py-1.5 text-sm outline-none data-[highlighted]:bg-sunken'

export function SessionMenu({ view }: { view: SessionView }) {
  const hub = useHub()
  const router = useRouter()
  const [asked, setAsked] = useState<'rename' | 'end' | 'delete' | null>(null)
  const close = () => setAsked(null)
  const stop = useMutation({ mutationFn: () => hub.rest.stop(view.sessionId), onSuccess: close })
  const remove = useMutation({
    mutationFn: () => hub.rest.deleteSession(view.sessionId),
    onSuccess: () => router.push('/sessions'),
  })
  const rename = useMutation({
    mutationFn: (title: string) => hub.rest.rename(view.sessionId, { title }),
    onSuccess: close,
  })
  const ended = view.status.status === 'ended'
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
            className="z-40 min-w-48 rounded-lg border border-line bg-raised p-1 shadow-pop"
          >
            <DropdownMenu.Item className={itemClass} onSelect={() => setAsked('rename')}>
              Rename…
            </DropdownMenu.Item>
            {ended ? null : (
              <DropdownMenu.Item className={itemClass} onSelect={() => setAsked('end')}>
                End session…
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className={`${itemClass} text-failed`} onSelect={() => setAsked('delete')}>
              Delete…
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Dialog open={asked === 'rename'} onOpenChange={close} title="Rename this session">
        <form
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault()
            rename.mutate(String(new FormData(event.currentTarget).get('title')))
          }}
        >
          <Field label="Title" name="title" defaultValue={view.title} required maxLength={200} />
          <Button type="submit" look="solid">
            Rename
          </Button>
        </form>
      </Dialog>
      <Confirm
        open={asked === 'end'}
        onClose={close}
        title="End this session?"
        action="End session"
        onConfirm={() => stop.mutate()}
      >
        The program is stopped and takes no more prompts. The transcript stays.
      </Confirm>
      <Confirm
        open={asked === 'delete'}
        onClose={close}
        title="Delete this session?"
        action="Delete for good"
        onConfirm={() => remove.mutate()}
      >
        The transcript is erased here and on the machine. What the program itself keeps about the conversation stays
        there.
      </Confirm>
    </>
  )
}

interface ConfirmProps {
  open: boolean
  onClose: () => void
  title: string
  action: string
  onConfirm: () => void
  children: string
}

function Confirm({ open, onClose, title, action, onConfirm, children }: ConfirmProps) {
  return (
    <Dialog open={open} onOpenChange={onClose} title={title} description={children}>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
