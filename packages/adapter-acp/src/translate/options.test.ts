import { describe, expect, it } from 'vitest'
import { choicesOf } from './options'

const option = (kind: string, optionId: string, name = optionId) => ({ kind, optionId, name })
const chosen = (...options: object[]) => {
  const choices = choicesOf(options)
  return choices && [choices.allow.optionId, choices.deny?.optionId]
}

describe('choicesOf', () => {
  it('chooses by kind, whatever the order and the names are', () => {
    expect(chosen(option('allow_always', 'a'), option('reject_once', 'b'), option('allow_once', 'c'))).toEqual([
      'c',
      'b',
    ])
  })

  it('of several of a kind it is the one that changes nothing else', () => {
    const plain = option('allow_once', 'proceed_once', 'Yes, allow once')
    for (const more of [
      option('allow_once', 'proceed_always', 'Yes, and auto-accept edits'),
      option('allow_once', 'restore_previous', 'Yes, and back to mode yolo'),
      option('allow_once', 'proceedAlwaysTool', 'Yes'),
      option('allow_once', 'x', 'Yes, for this session'),
    ]) {
      expect(chosen(more, plain)).toEqual(['proceed_once', undefined])
      expect(chosen(plain, more)).toEqual(['proceed_once', undefined])
    }
  })

  it('one alone is what its kind says', () => {
    expect(chosen(option('allow_once', 'x', 'Yes, and accept edits'))).toEqual(['x', undefined])
  })

  it('never takes an option for always, nor one of a kind that is new', () => {
    expect(chosen(option('allow_always', 'a'), option('reject_once', 'b'))).toBeUndefined()
    expect(chosen(option('allow_twice', 'a'), option('reject_once', 'b'))).toBeUndefined()
    expect(choicesOf('none')).toBeUndefined()
    expect(choicesOf([null, { kind: 'allow_once' }, { optionId: 'x' }])).toBeUndefined()
  })
})
