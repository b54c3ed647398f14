import { describe, expect, it } from 'vitest'
import { answersOf, questionForm } from './questions'

const options = [{ label: 'Red', description: 'warm' }, { label: 'Blue' }]
const questions = [
  { id: 'q1', header: 'Colour', question: 'Which?', isOther: true, options },
  { id: 'q2', question: 'Why?', options: null },
  { id: 'q3', question: 'Which key?', isSecret: true },
]

describe('questions of Codex', () => {
  it('[PERM-2] are fields by their ids', () => {
    const [colour, why, key] = questionForm(questions).fields
    expect(colour).toMatchObject({ kind: 'choice', name: 'q1', label: 'Which?', header: 'Colour', ownAnswer: true })
    expect(why).toEqual({ kind: 'text', name: 'q2', label: 'Why?', required: true })
    expect(key).toMatchObject({ kind: 'text', secret: true })
  })

  it('[PERM-2] are answered as the terminal writes it: a label, and own words as a note', () => {
    const written = (answers: Record<string, unknown>) => answersOf({ questions, answers })
    expect(written({ q1: 'Red', q2: 'Because.' })).toEqual({
      q1: { answers: ['Red'] },
      q2: { answers: ['user_note: Because.'] },
    })
    expect(written({ q1: 'Green' })).toEqual({ q1: { answers: ['None of the above', 'user_note: Green'] } })
  })
})
