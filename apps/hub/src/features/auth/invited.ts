/** The texts that an invitation link has beside its code, only for the form: the hub reads neither. Pure. */

export interface Invited {
  email: string
  /** The person has no account yet. Otherwise the link sets a new password. */
  isNew: boolean
}

/** Writes the texts after the `#`, which no server ever sees. */
export function linkFor(link: string, { email, isNew }: Invited): string {
  return `${link}&${new URLSearchParams({ email, ...(isNew ? { new: '1' } : {}) })}`
}

/** Null: the link has only its code, like a link that the hub's machine prints. */
export function invitedBy(beside: string): Invited | null {
  const said = new URLSearchParams(beside)
  const email = said.get('email')
  return email === null || email === '' ? null : { email, isNew: said.has('new') }
}
