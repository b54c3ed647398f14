import { expect, it } from 'vitest'
import { AgentName } from './machines'

it.each([' ', '\u200b', '\u3164', '\u00ad\u2800', 'a\u0000b', '\u001b[31mred', 'two\nlines', '\u202eabc'])(
  'a machine is not renamed to %j',
  (name) => {
    expect(AgentName.safeParse({ name }).success).toBe(false)
  },
)

it('a machine is renamed to what can be seen', () => {
  expect(AgentName.safeParse({ name: 'Büro "1" 👩‍💻' }).success).toBe(true)
})
