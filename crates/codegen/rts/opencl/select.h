// Start of select.h: platforms and devices, and which one to use.

struct opencl_device {
  cl_platform_id platform;
  cl_device_id device;
  cl_bitfield type;
  char platform_name[256], device_name[256];
};

// All devices, to be freed; NULL and no devices if there are none. `code` is why some may be missing.
TOOL_FUN struct opencl_device *opencl_devices(const struct opencl *cl, int *count, cl_int *code) {
  cl_platform_id platforms[64];
  struct opencl_device *all = NULL;
  cl_uint num_platforms = 0;
  *count = 0;
  *code = cl->GetPlatformIDs(64, platforms, &num_platforms);
  if (*code != CL_SUCCESS) {
    return NULL;
  }
  for (cl_uint p = 0; p < num_platforms && p < 64; p++) {
    cl_device_id devices[64];
    cl_uint num_devices = 0;
    cl_int found = cl->GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &num_devices);
    if (found != CL_SUCCESS) {
      *code = found == CL_DEVICE_NOT_FOUND ? *code : found;
      continue;
    }
    for (cl_uint d = 0; d < num_devices && d < 64; d++) {
      struct opencl_device *more = realloc(all, (size_t)(*count + 1) * sizeof(struct opencl_device));
      if (more == NULL) {
        return all;
      }
      all = more;
      struct opencl_device *device = &all[(*count)++];
      *device = (struct opencl_device){.platform = platforms[p], .device = devices[d]};
      cl->GetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof device->platform_name - 1, device->platform_name, NULL);
      cl->GetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof device->device_name - 1, device->device_name, NULL);
      cl->GetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof device->type, &device->type, NULL);
    }
  }
  return all;
}

// The number in `#k`, or -1.
TOOL_FUN long wanted_number(const char *wanted) {
  char *rest = NULL;
  long k = wanted != NULL && wanted[0] == '#' ? strtol(wanted + 1, &rest, 10) : -1;
  return rest != NULL && (*rest != '\0' || rest == wanted + 1) ? -1 : k;
}

// Whether a name, the k-th of its kind, is the one wanted.
TOOL_FUN bool is_wanted(const char *wanted, const char *name, long k) {
  long number = wanted_number(wanted);
  return wanted == NULL || (number >= 0 ? number == k : strstr(name, wanted) != NULL);
}

// The device of the configuration; or if it does not say, the first GPU, or any device.
TOOL_FUN bool opencl_select(const struct futhark_context_config *cfg, const struct opencl_device *all, int count,
                            struct opencl_device *chosen) {
  const char *platform = cfg->device.platform, *device = cfg->device.device;
  long platform_number = -1, device_number = -1;
  bool found = false;
  for (int i = 0; i < count; i++) {
    platform_number += i == 0 || all[i].platform != all[i - 1].platform;
    if (!is_wanted(platform, all[i].platform_name, platform_number)) {
      continue;
    }
    device_number++;
    if (!is_wanted(device, all[i].device_name, device_number)) {
      continue;
    }
    bool better = device == NULL && (all[i].type & CL_DEVICE_TYPE_GPU) != 0 && (chosen->type & CL_DEVICE_TYPE_GPU) == 0;
    if (!found || better) {
      *chosen = all[i];
      found = true;
    }
  }
  return found;
}

TOOL_FUN void opencl_list(FILE *file) {
  struct opencl cl = {.library = NULL};
  const char *problem = opencl_load(&cl);
  int count = 0;
  cl_int code = CL_SUCCESS;
  struct opencl_device *all = problem == NULL ? opencl_devices(&cl, &count, &code) : NULL;
  if (problem != NULL) {
    fprintf(file, "No devices: %s.\n", problem);
  } else if (count == 0 && code != CL_SUCCESS) {
    fprintf(file, "No devices: %s (%d).\n", opencl_error_name(code), (int)code);
  } else if (count == 0) {
    fprintf(file, "No devices: there is no OpenCL platform.\n");
  }
  long platform = -1, device = 0;
  for (int i = 0; i < count; i++) {
    if (i == 0 || all[i].platform != all[i - 1].platform) {
      fprintf(file, "#%ld: %s\n", ++platform, all[i].platform_name);
      device = 0;
    }
    fprintf(file, "  #%ld: %s\n", device++, all[i].device_name);
  }
  free(all);
}

// End of select.h.
