'use client'
import { toCodedError } from '@roundhouse/backend-types'
import { HubRest, Transport } from '@roundhouse/hub-client'
import { useState } from 'react'
import { Field } from '../../ui/forms/field'
import { ErrorNotice } from '../../ui/forms/notice'
import { onForm, textIn } from '../../ui/forms/on-form'
import { SubmitButton } from '../../ui/forms/submit-button'
import { invitedBy } from './invited'
import { NewPassword } from './new-password'
import { signIn } from './sign-in'
import { useCodeOfLink } from './use-code-of-link'

const NAME_HINT =
  'Others see it next to what you do. Spaces are fine; no word of it may be a role, such as “operator” or “admin”.'

/** For a new person, and for a known person who sets a new password. */
export function InvitationForm() {
  const { field: codeField, beside } = useCodeOfLink()
  const invited = invitedBy(beside)
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
      {invited ? (
        <Field
          label="E-mail"
          type="email"
          autoComplete="username"
          readOnly
          value={invited.email}
          hint="You sign in with it."
        />
      ) : null}
      {invited?.isNew === false ? null : (
        <Field
          label="Your name"
          name="name"
          autoComplete="name"
          required={invited?.isNew === true}
          maxLength={100}
          hint={`${NAME_HINT}${invited ? '' : ' If you have an account already, leave it empty.'}`}
        />
      )}
      <NewPassword />
      {error ? <ErrorNotice error={error} /> : null}
      <SubmitButton disabled={busy}>{busy ? 'One moment…' : 'Accept invitation'}</SubmitButton>
    </form>
  )
}
