'use client'
import { toCodedError } from '@roundhouse/backend-types'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { ShownLink } from '../../ui/forms/shown-link'
import { Dialog } from '../../ui/overlays/dialog'
import { useWebhook } from './use-webhook'

export interface SecretDialogProps {
  webhookId: string
  onClose: () => void
}

const means = 'For 24 hours the hub signs each message with the old secret and the new one. Then the old one ends.'

export function SecretDialog({ webhookId, onClose }: SecretDialogProps) {
  const { rotate } = useWebhook(webhookId)
  return (
    <Dialog open onOpenChange={onClose} title="New secret" {...(rotate.data ? {} : { description: means })}>
      {rotate.data ? (
        <ShownLink link={rotate.data.secret} onDone={onClose}>
          Copy the secret now: it is not shown again.
        </ShownLink>
      ) : (
        <>
          {rotate.error ? <ErrorNotice className="mb-4" error={toCodedError(rotate.error).toBody()} /> : null}
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button look="solid" disabled={rotate.isPending} onClick={() => rotate.mutate()}>
              Create new secret
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
