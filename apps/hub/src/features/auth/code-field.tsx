import { Field } from '../../ui/forms/field'

/** For a code of the authenticator; where a telephone is lost, for a backup code. */
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
