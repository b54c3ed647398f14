'use client'
import { useMutation } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { Field } from '../../ui/forms/field'
import { FormEnd } from '../../ui/forms/form-end'
import { onForm, textIn } from '../../ui/forms/on-form'
import { Dialog } from '../../ui/overlays/dialog'
import { telegram, useReread } from './use-channel'

export interface BotDialogProps {
  onClose: () => void
}

export function BotDialog({ onClose }: BotDialogProps) {
  const { rest } = useHub()
  const reread = useReread()
  const set = useMutation({
    mutationFn: (token: string) => rest.call('setChannelBot', { id: telegram, body: { token } }),
    onSuccess: onClose,
    onSettled: reread,
  })
  return (
    <Dialog open onOpenChange={onClose} title="Set up Telegram">
      <form onSubmit={onForm((form) => set.mutate(textIn(form, 'token')))} className="space-y-4">
        <Field
          label="Token of the bot"
          name="token"
          type="password"
          required
          maxLength={200}
          autoComplete="off"
          hint="From @BotFather. The hub keeps it sealed and never shows it. Another bot ends all links to the one before."
        />
        <FormEnd action="Set token" error={set.error} busy={set.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
