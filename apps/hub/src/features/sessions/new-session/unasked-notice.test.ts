import { expect, it } from 'vitest'
import { unaskedNotice } from './unasked-notice'

const program = (installed: boolean, supportsPermissions: boolean) =>
  ({ label: 'Kilo', installed, capabilities: { supportsPermissions } }) as Parameters<typeof unaskedNotice>[0]

it('warns of an installed program that is not known to ask, and of no other', () => {
  expect(unaskedNotice(program(true, false))).toBe(
    'Kilo may run commands and change files without asking you. Roundhouse cannot make it ask.',
  )
  expect(unaskedNotice(program(true, true))).toBeUndefined()
  expect(unaskedNotice(program(false, false))).toBeUndefined()
  expect(unaskedNotice(undefined)).toBeUndefined()
})
