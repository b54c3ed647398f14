export { variation, variations } from '../../../scripts/lib/runs/variation.mjs'
