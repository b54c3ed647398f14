import path from 'node:path'
import { expect, it } from 'vitest'
import { framesPage } from '../testing/frames-page'

it('docs/frames.md says what the tables of frames say', async () => {
  await expect(framesPage()).toMatchFileSnapshot(path.resolve(import.meta.dirname, '../../../../docs/frames.md'))
})
