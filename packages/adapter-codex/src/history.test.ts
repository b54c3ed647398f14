import { expect, it } from 'vitest'
import { outputsOf } from './history'
import { refusalWords } from './refusal-words'

const said = (text: string) => ({ type: 'userMessage', id: 'u', content: [{ type: 'text', text }] })

it('[RES-9] the reason of a refusal, which is steered into the turn, is no prompt of the conversation', () => {
  const outputs = outputsOf('t', [said('Do it.'), said(refusalWords('Not this one.')), said('Go on.')])
  expect(outputs.map((output) => (output.kind === 'system' ? output.data : null))).toEqual([
    { text: 'Do it.' },
    { text: 'Go on.' },
  ])
})
