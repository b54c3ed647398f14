export { variation, variations, variationsUnless } from '../../../scripts/lib/runs/variation.mjs'
