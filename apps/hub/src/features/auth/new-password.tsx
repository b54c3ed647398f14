import { Field } from '../../ui/forms/field'

export function NewPassword({ label = 'Password' }: { label?: string }) {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      required
      minLength={12}
      maxLength={128}
      hint="At least 12 characters."
    />
  )
}
