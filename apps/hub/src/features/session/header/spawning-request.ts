/** The budget as a person writes it. What is no number is refused by the hub, at its field. Pure. */
import type { SpawningRequest } from '@roundhouse/backend-types'

export function spawningRequest(form: Pick<FormData, 'get'>): SpawningRequest {
  const number = (name: 'budgetUsd' | 'budgetTokens') => {
    const text = String(form.get(name) ?? '').trim()
    return text === '' ? {} : { [name]: Number(text.replace(',', '.')) }
  }
  return { on: true, ...number('budgetUsd'), ...number('budgetTokens') }
}
