'use client'
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { ErrorNotice } from '../../ui/notice'

export interface RenameDialogProps {
  view: SessionView
  onClose: () => void
}

export function RenameDialog({ view, onClose }: RenameDialogProps) {
  const hub = useHub()
  const rename = useMutation({
    mutationFn: (title: string) => hub.rest.rename(view.sessionId, { title }),
    onSuccess: onClose,
  })
  return (
    <Dialog open onOpenChange={onClose} title="Rename this session">
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate(String(new FormData(event.currentTarget).get('title')))
        }}
      >
        <Field label="Title" name="title" defaultValue={view.title} required maxLength={200} />
        {rename.error ? <ErrorNotice error={toCodedError(rename.error).toBody()} /> : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="solid" disabled={rename.isPending}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
