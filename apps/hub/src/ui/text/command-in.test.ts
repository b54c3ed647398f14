import { describe, expect, it } from 'vitest'
import { commandIn } from './command-in'

describe('the command in a machine’s message', () => {
  it('is what the person runs there, apart from the sentences', () => {
    expect(commandIn("It is outside. It allows /code. On that machine run: roundhouse-agent allow '/my code'")).toEqual(
      {
        said: 'It is outside. It allows /code.',
        command: "roundhouse-agent allow '/my code'",
      },
    )
  })

  it('is none where the message names none, or more than one line', () => {
    const missing = 'There is no such folder on this machine.'
    expect(commandIn(missing)).toEqual({ said: missing })
    const lines = 'On that machine run: true\nfalse'
    expect(commandIn(lines)).toEqual({ said: lines })
  })
})
