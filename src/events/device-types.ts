/** Device types of visitors. The index is stored in the database, so the order must never change. */
export const DEVICE_TYPES = ['desktop', 'mobile', 'tablet', 'other'] as const;

export type DeviceType = (typeof DEVICE_TYPES)[number];

/** The stored index of a device type. */
export const deviceCode = (device: DeviceType): number => DEVICE_TYPES.indexOf(device);
