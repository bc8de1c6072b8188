import { easytierPlants } from './easytier'
import { hostPlants } from './hosts'
import { mediaPlants } from './media'
import { type Plant, withTestFile } from './plant'
import { roomPlants } from './room'

export const plants: readonly Plant[] = [...mediaPlants, ...roomPlants, ...easytierPlants, ...hostPlants].map(
  withTestFile,
)
