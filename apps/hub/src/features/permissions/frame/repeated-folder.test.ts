import { expect, it } from 'vitest'
import { withoutRepeatedFolder } from './repeated-folder'

it('[PERM-7] the folder of a command is shown once, and another one that the input names is shown as well', () => {
  const members: Array<[string, unknown]> = [
    ['cwd', '/code'],
    ['dir', '/code'],
  ]
  expect(withoutRepeatedFolder(members, '/code')).toEqual([['dir', '/code']])
  expect(withoutRepeatedFolder(members, '/other')).toEqual(members)
})
