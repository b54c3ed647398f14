import { expect, it } from 'vitest'
import { inTime } from './in-time'

it('[FLOW-7.7] what is asked of a path is given up, with its name, where it does not answer', async () => {
  expect(await inTime('/code', Promise.resolve(1))).toBe(1)
  await expect(inTime('/code', Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  const late = { code: 'FOLDER_UNAVAILABLE', message: '/net does not answer.', details: { path: '/net' } }
  await expect(inTime('/net', new Promise(() => {}), 1)).rejects.toMatchObject(late)
})
