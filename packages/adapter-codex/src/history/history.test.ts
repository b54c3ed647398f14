import { refusalWords } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { outputsOf } from './history'

const said = (text: string) => ({ type: 'userMessage', id: 'u', content: [{ type: 'text', text }] })

it('[RES-9] the reason of a refusal, which is steered into the turn, is no prompt of the conversation', () => {
  const outputs = outputsOf('t', [said('Do it.'), said(refusalWords('Not this one.')), said('Go on.')])
  expect(outputs.map((output) => (output.kind === 'system' ? output.data : null))).toEqual([
    { text: 'Do it.' },
    { text: 'Go on.' },
  ])
})

it('[RES-9] a prompt of images alone has words too, and each tells how many came with it', () => {
  const image = { type: 'image', url: 'data:image/png;base64,aGk=' }
  const file = { type: 'localImage', path: '/code/chart.png' }
  const message = (...content: object[]) => ({ type: 'userMessage', id: 'u', content })
  const outputs = outputsOf('t', [message(image, file), message(file, { type: 'text', text: 'What?' })])
  expect(outputs.map((output) => (output.kind === 'system' ? output.data : null))).toEqual([
    { text: '[Image] [Image]', images: 2 },
    { text: 'What?', images: 1 },
  ])
})
