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

/** First run: the one-time code comes in the URL fragment (which no server ever sees) or is typed. */
export function SetupForm() {
  const { field: codeField } = useCodeOfLink()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<{ code: string; message: string } | null>(null)

  const submit = onForm(async (form) => {
    const [code, name, email] = [textIn(form, 'code'), textIn(form, 'name'), textIn(form, 'email')]
    const password = String(form.get('password'))
    setBusy(true)
    setError(null)
    try {
      await new HubRest(new Transport({ baseUrl: '' })).setup({ code, name, email, password })
      await signIn(email, password)
      location.assign('/')
    } catch (thrown) {
      setError(toCodedError(thrown).toBody())
      setBusy(false)
    }
  })

  return (
    <form method="post" onSubmit={submit} className="space-y-4">
      <SetupCode inputRef={codeField} />
      <Field label="Your name" name="name" autoComplete="name" required maxLength={100} />
      <Field label="E-mail" name="email" type="email" autoComplete="username" required />
      <NewPassword />
      {error ? <ErrorNotice error={error} /> : null}
      <SubmitButton disabled={busy}>{busy ? 'Setting up…' : 'Create owner account'}</SubmitButton>
    </form>
  )
}

function SetupCode({ inputRef }: { inputRef: React.RefObject<HTMLInputElement | null> }) {
  return (
    <Field
      ref={inputRef}
      label="Setup code"
      name="code"
      required
      autoComplete="off"
      spellCheck={false}
      className="font-mono"
      hint="The hub printed it when it started."
    />
  )
}
