import { Field } from '../../ui/forms/field'

/** The field for an authenticator code, or for a backup code if the phone is lost. */
export function CodeField({ label = 'Code', autoFocus = false }: { label?: string; autoFocus?: boolean }) {
  return (
    <Field
      label={label}
      name="code"
      required
      autoFocus={autoFocus}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={20}
      className="font-mono"
      hint="Six digits from your authenticator, or one of your backup codes."
    />
  )
}
