'use client'
import type { PasskeyView } from '@roundhouse/backend-types'
import { useState } from 'react'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { PlainText } from '../../ui/text/plain-text'
import { agoWords } from '../../ui/text/time'
import { usePasskeysWork } from '../auth/passkey'
import type { AddPasskeyProps, RemovePasskeyProps, RenamePasskeyProps } from './passkey-dialogs'
import { useFactors } from './use-factors'

const AddPasskey = lateDialog<AddPasskeyProps>(() => import('./passkey-dialogs').then((module) => module.AddPasskey))
const RemovePasskey = lateDialog<RemovePasskeyProps>(() =>
  import('./passkey-dialogs').then((module) => module.RemovePasskey),
)
const RenamePasskey = lateDialog<RenamePasskeyProps>(() =>
  import('./passkey-dialogs').then((module) => module.RenamePasskey),
)

export function Passkeys() {
  const now = useNow()
  const passkeysWork = usePasskeysWork()
  const { factors, refresh } = useFactors()
  const [adding, setAdding] = useState(false)
  const [renaming, setRenaming] = useState<PasskeyView | null>(null)
  const [removing, setRemoving] = useState<PasskeyView | null>(null)
  const close = () => {
    setAdding(false)
    setRenaming(null)
    setRemoving(null)
    void refresh()
  }
  const passkeys = factors?.passkeys ?? []
  return (
    <div className="space-y-3">
      <p className="text-ink-2 text-sm">
        Sign in with your fingerprint, face or PIN instead of a password and code. Your password still works.
      </p>
      {passkeys.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {passkeys.map((passkey) => (
            <li key={passkey.passkeyId} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
              <span className="min-w-0 flex-1 basis-40 [overflow-wrap:anywhere]">
                <PlainText>{passkey.name}</PlainText>
              </span>
              <span className="text-ink-3 text-xs tabular-nums">added {agoWords(passkey.createdAt, now)}</span>
              <span className="ml-auto flex gap-2">
                <Button size="sm" onClick={() => setRenaming(passkey)}>
                  Rename
                </Button>
                <Button size="sm" onClick={() => setRemoving(passkey)}>
                  Remove
                </Button>
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {passkeysWork ? (
        <Button disabled={!factors} onClick={() => setAdding(true)}>
          Add a passkey
        </Button>
      ) : (
        <p className="text-ink-3 text-sm">
          Passkeys are not available here: they need a host name and a recent browser.
        </p>
      )}
      {adding ? <AddPasskey withCode={factors?.totp === true} onClose={close} /> : null}
      {removing ? <RemovePasskey passkey={removing} withCode={factors?.totp === true} onClose={close} /> : null}
      {renaming ? <RenamePasskey passkey={renaming} onClose={close} /> : null}
    </div>
  )
}
