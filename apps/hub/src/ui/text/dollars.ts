/** An amount in US dollars, never as if it were nothing. Pure. */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 0.01) return '<$0.01'
  return `$${amount.toFixed(2)}`
}
