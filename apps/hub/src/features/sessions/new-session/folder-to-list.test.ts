import { describe, expect, it } from 'vitest'
import { folderToList, isMissing } from './folder-to-list'

describe('folderToList', () => {
  const roots = ['/home/ana/code', '/srv']

  it.each([
    ['/home/ana/code', '/home/ana/code'],
    ['/home/ana/code/', '/home/ana/code'],
    ['/home/ana/code/round', '/home/ana/code'],
    ['/home/ana/code/roundhouse/apps', '/home/ana/code/roundhouse'],
    ['/srv/x', '/srv'],
  ])('%s asks for what lies in %s', (path, listed) => {
    expect(folderToList(path, roots)).toBe(listed)
  })

  it('knows the root of everything', () => {
    expect(folderToList('/ho', ['/'])).toBe('/')
    expect(folderToList('/home/', ['/'])).toBe('/home')
  })

  it.each(['', '/', '/etc/', '/home/ana', '/home/ana/codex/', 'relative/x'])(
    '%s lies outside, nothing is asked',
    (path) => {
      expect(folderToList(path, roots)).toBeNull()
    },
  )
})

describe('isMissing', () => {
  const folders = [{ name: 'apps' }, { name: 'docs' }]

  it.each([
    ['/code/apps', { folders }, false],
    ['/code/app', { folders }, true],
    ['/code/', { folders }, false],
    ['/code/.hidden', { folders }, false],
    ['/code/other', { folders, complete: false }, false],
  ])('%s: %j', (path, listed, missing) => {
    expect(isMissing(path, listed)).toBe(missing)
  })
})
