import { expect, it } from 'vitest'
import { highlight } from './highlight'

it('colours each line of code, and a comment ends with its own', async () => {
  const lines = await highlight("// The limit\nconst limit = 1\nf('a')", 'ts')
  const looks = lines?.map(({ tokens }) =>
    tokens.filter(({ look }) => look !== '').map(({ text, look }) => `${text} ${look}`),
  )
  expect(looks).toEqual([
    ['// The limit text-code-comment'],
    ['const text-code-keyword', '= text-code-keyword', '1 text-code-number'],
    ['f text-code-name', "'a' text-code-string"],
  ])
})
