'use client'
import { toCodedError } from '@roundhouse/backend-types'
import { HubRest, Transport } from '@roundhouse/hub-client'
import { useState } from 'react'
import { Field } from '../../ui/forms/field'
import { ErrorNotice } from '../../ui/forms/notice'
import { onForm, textIn } from '../../ui/forms/on-form'
import { SubmitButton } from '../../ui/forms/submit-button'
import { NewPassword } from './new-password'
import { signIn } from './sign-in'
import { useCodeOfLink } from './use-code-of-link'

/** For somebody new, and for somebody who gets a new password: the latter is known by name already. */
export function InvitationForm() {
  const codeField = useCodeOfLink()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<{ code: string; message: string } | null>(null)

  const submit = onForm(async (form) => {
    const [code, name] = [textIn(form, 'code'), textIn(form, 'name')]
    const password = String(form.get('password'))
    setBusy(true)
    setError(null)
    try {
      const rest = new HubRest(new Transport({ baseUrl: '' }))
      const { email } = await rest.acceptInvitation({ code, password, ...(name ? { name } : {}) })
      const entry = await signIn(email, password)
      location.assign(entry === 'in' ? '/' : '/login')
    } catch (thrown) {
      setError(toCodedError(thrown).toBody())
      setBusy(false)
    }
  })

  return (
    <form method="post" onSubmit={submit} className="space-y-4">
      <Field
        ref={codeField}
        label="Invitation"
        name="code"
        required
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        hint="It is part of your invitation link."
      />
      <Field
        label="Your name"
        name="name"
        autoComplete="name"
        maxLength={100}
        hint="Others see it next to what you do. Leave it empty to keep your current name."
      />
      <NewPassword />
      {error ? <ErrorNotice error={error} /> : null}
      <SubmitButton disabled={busy}>{busy ? 'One moment…' : 'Accept invitation'}</SubmitButton>
    </form>
  )
}
