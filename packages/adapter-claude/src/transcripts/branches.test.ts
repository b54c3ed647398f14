import { describe, expect, it } from 'vitest'
import type { Frame } from '../wire/frames'
import { Branches } from './branches'

const line = (uuid: string, parentUuid: string | null, more: Frame = {}): Frame => ({ uuid, parentUuid, ...more })
const prompt = (uuid: string, parentUuid: string | null) => line(uuid, parentUuid, { type: 'user' })
const says = (model: string, type = 'text') => ({ type: 'assistant', message: { model, content: [{ type }] } })
const answer = (uuid: string, parentUuid: string, more: Frame = {}) =>
  line(uuid, parentUuid, { ...says('opus'), ...more })

function forks(...lines: Frame[]): string[] {
  const branches = new Branches()
  return lines.flatMap((one) => {
    branches.add(one)
    return one.type === 'user' && branches.forksAt(one) ? [String(one.uuid)] : []
  })
}

describe('a conversation of Claude Code has two branches', () => {
  const begun = [prompt('p1', null), answer('a1', 'p1'), prompt('p2', 'a1'), answer('a2', 'p2')]

  it('where a prompt leaves out the answer before it', () => {
    expect(forks(...begun, prompt('p3', 'a1'), answer('a3', 'p3'), prompt('p4', 'a3'))).toEqual(['p3'])
    expect(forks(...begun, line('s', 'p2', says('<synthetic>')), prompt('p3', 's'))).toEqual(['p3'])
  })

  it('not where each follows the one before, by way of other lines and of a compaction', () => {
    const attachment = line('x', 'a2', { type: 'attachment' })
    const compacted = line('c', null, { type: 'system', logicalParentUuid: 'x' })
    expect(forks(...begun, attachment, compacted, prompt('p3', 'c'))).toEqual([])
  })

  it('not where what a prompt leaves out are calls, words of the program itself or of a helper', () => {
    const call = line('t', 'a2', says('opus', 'tool_use'))
    const helpers = answer('h', 'a2', { isSidechain: true })
    expect(forks(...begun, call, helpers, line('s', 'a2', says('<synthetic>')), prompt('p3', 'a2'))).toEqual([])
  })

  it('not where the lines between are missing, or where they name none', () => {
    expect(forks(...begun.slice(2), prompt('p3', 'gone'))).toEqual([])
    expect(forks({ ...says('opus') }, { type: 'user' })).toEqual([])
    expect(forks(...begun, prompt('p3', null))).toEqual([])
  })

  it('not where a damaged record leads in a circle, which ends nobody’s reading', () => {
    expect(forks(...begun, prompt('p3', 'p3'))).toEqual([])
    expect(forks(...begun, line('x', 'y'), line('y', 'x'), prompt('p3', 'x'))).toEqual([])
  })
})
