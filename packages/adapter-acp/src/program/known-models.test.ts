import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { knownModels, type ModelsPlace, rememberModels } from './known-models'

let root: string
let place: ModelsPlace
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rh-models-'))
  place = { folder: join(root, 'models'), kind: 'kilo', file: join(root, 'kilo') }
  writeFileSync(place.file, '1')
})
afterEach(() => rmSync(root, { recursive: true }))

const listed = [{ value: 'small', displayName: 'Small' }, { value: 'large', description: 'Slow' }, { value: 7 }]

it('a session leaves what its program listed, with the program’s own choice as the default', async () => {
  expect(await knownModels(place)).toEqual([])
  await rememberModels(place, listed, 'large')
  const models = [
    { code: 'small', label: 'Small' },
    { code: 'large', label: 'large', description: 'Slow', default: true },
  ]
  expect(await knownModels(place)).toEqual(models)
  // A person chose the model of this one.
  await rememberModels(place, listed, undefined)
  expect(await knownModels(place)).toEqual(models)
  expect(await knownModels({ ...place, kind: 'other' })).toEqual([])
})

it('a list that did not change is not written again, and an empty one leaves the earlier one', async () => {
  await rememberModels(place, listed, 'large')
  const { ino } = statSync(join(place.folder, 'kilo.json'))
  await rememberModels(place, listed, 'large')
  await rememberModels(place, [], 'large')
  expect(statSync(join(place.folder, 'kilo.json')).ino).toBe(ino)
})

it('another program, and a file that makes no sense, have no models', async () => {
  await rememberModels(place, listed, 'large')
  writeFileSync(place.file, 'another one')
  expect(await knownModels(place)).toEqual([])
  await rememberModels(place, listed, 'small')
  expect(await knownModels(place)).toHaveLength(2)
  writeFileSync(join(place.folder, 'kilo.json'), '{"models":')
  expect(await knownModels(place)).toEqual([])
})
