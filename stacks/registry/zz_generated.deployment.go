// Code generated from k8s.io/api by UPDATE_GOLDEN=1 go test ./stacks/registry. DO NOT EDIT.

package registry

type (
	aWSElasticBlockStoreVolumeSource struct {
		VolumeID  string `json:"volumeID"`
		FSType    string `json:"fsType,omitempty"`
		Partition int32  `json:"partition,omitempty"`
		ReadOnly  bool   `json:"readOnly,omitempty"`
	}
	affinity struct {
		NodeAffinity    *nodeAffinity    `json:"nodeAffinity,omitempty"`
		PodAffinity     *podAffinity     `json:"podAffinity,omitempty"`
		PodAntiAffinity *podAntiAffinity `json:"podAntiAffinity,omitempty"`
	}
	appArmorProfile struct {
		Type             string  `json:"type"`
		LocalhostProfile *string `json:"localhostProfile,omitempty"`
	}
	azureDiskVolumeSource struct {
		DiskName    string  `json:"diskName"`
		DataDiskURI string  `json:"diskURI"`
		CachingMode *string `json:"cachingMode,omitempty"`
		FSType      *string `json:"fsType,omitempty"`
		ReadOnly    *bool   `json:"readOnly,omitempty"`
		Kind        *string `json:"kind,omitempty"`
	}
	azureFileVolumeSource struct {
		SecretName string `json:"secretName"`
		ShareName  string `json:"shareName"`
		ReadOnly   bool   `json:"readOnly,omitempty"`
	}
	cSIVolumeSource struct {
		Driver               string                `json:"driver"`
		ReadOnly             *bool                 `json:"readOnly,omitempty"`
		FSType               *string               `json:"fsType,omitempty"`
		VolumeAttributes     map[string]string     `json:"volumeAttributes,omitempty"`
		NodePublishSecretRef *localObjectReference `json:"nodePublishSecretRef,omitempty"`
	}
	capabilities struct {
		Add  []string `json:"add,omitempty"`
		Drop []string `json:"drop,omitempty"`
	}
	cephFSVolumeSource struct {
		Monitors   []string              `json:"monitors"`
		Path       string                `json:"path,omitempty"`
		User       string                `json:"user,omitempty"`
		SecretFile string                `json:"secretFile,omitempty"`
		SecretRef  *localObjectReference `json:"secretRef,omitempty"`
		ReadOnly   bool                  `json:"readOnly,omitempty"`
	}
	cinderVolumeSource struct {
		VolumeID  string                `json:"volumeID"`
		FSType    string                `json:"fsType,omitempty"`
		ReadOnly  bool                  `json:"readOnly,omitempty"`
		SecretRef *localObjectReference `json:"secretRef,omitempty"`
	}
	clusterTrustBundleProjection struct {
		Name          *string        `json:"name,omitempty"`
		SignerName    *string        `json:"signerName,omitempty"`
		LabelSelector *labelSelector `json:"labelSelector,omitempty"`
		Optional      *bool          `json:"optional,omitempty"`
		Path          string         `json:"path"`
		User          *int64         `json:"user,omitempty"`
	}
	configMapEnvSource struct {
		Name     string `json:"name,omitempty"`
		Optional *bool  `json:"optional,omitempty"`
	}
	configMapKeySelector struct {
		Name     string `json:"name,omitempty"`
		Key      string `json:"key"`
		Optional *bool  `json:"optional,omitempty"`
	}
	configMapProjection struct {
		Name     string      `json:"name,omitempty"`
		Items    []keyToPath `json:"items,omitempty"`
		Optional *bool       `json:"optional,omitempty"`
	}
	configMapVolumeSource struct {
		Name        string      `json:"name,omitempty"`
		Items       []keyToPath `json:"items,omitempty"`
		DefaultMode *int32      `json:"defaultMode,omitempty"`
		Optional    *bool       `json:"optional,omitempty"`
		DefaultUser *int64      `json:"defaultUser,omitempty"`
	}
	container struct {
		Name                     string                  `json:"name"`
		Image                    string                  `json:"image,omitempty"`
		Command                  []string                `json:"command,omitempty"`
		Args                     []string                `json:"args,omitempty"`
		WorkingDir               string                  `json:"workingDir,omitempty"`
		Ports                    []containerPort         `json:"ports,omitempty" patchMergeKey:"containerPort"`
		EnvFrom                  []envFromSource         `json:"envFrom,omitempty"`
		Env                      []envVar                `json:"env,omitempty" patchMergeKey:"name"`
		Resources                resourceRequirements    `json:"resources,omitempty"`
		ResizePolicy             []containerResizePolicy `json:"resizePolicy,omitempty"`
		RestartPolicy            *string                 `json:"restartPolicy,omitempty"`
		RestartPolicyRules       []containerRestartRule  `json:"restartPolicyRules,omitempty"`
		VolumeMounts             []volumeMount           `json:"volumeMounts,omitempty" patchMergeKey:"mountPath"`
		VolumeDevices            []volumeDevice          `json:"volumeDevices,omitempty" patchMergeKey:"devicePath"`
		LivenessProbe            *probe                  `json:"livenessProbe,omitempty"`
		ReadinessProbe           *probe                  `json:"readinessProbe,omitempty"`
		StartupProbe             *probe                  `json:"startupProbe,omitempty"`
		Lifecycle                *lifecycle              `json:"lifecycle,omitempty"`
		TerminationMessagePath   string                  `json:"terminationMessagePath,omitempty"`
		TerminationMessagePolicy string                  `json:"terminationMessagePolicy,omitempty"`
		ImagePullPolicy          string                  `json:"imagePullPolicy,omitempty"`
		SecurityContext          *securityContext        `json:"securityContext,omitempty"`
		Stdin                    bool                    `json:"stdin,omitempty"`
		StdinOnce                bool                    `json:"stdinOnce,omitempty"`
		TTY                      bool                    `json:"tty,omitempty"`
	}
	containerPort struct {
		Name          string `json:"name,omitempty"`
		HostPort      int32  `json:"hostPort,omitempty"`
		ContainerPort int32  `json:"containerPort"`
		Protocol      string `json:"protocol,omitempty"`
		HostIP        string `json:"hostIP,omitempty"`
	}
	containerResizePolicy struct {
		ResourceName  string `json:"resourceName"`
		RestartPolicy string `json:"restartPolicy"`
	}
	containerRestartRule struct {
		Action    string                           `json:"action,omitempty"`
		ExitCodes *containerRestartRuleOnExitCodes `json:"exitCodes,omitempty"`
	}
	containerRestartRuleOnExitCodes struct {
		Operator string  `json:"operator,omitempty"`
		Values   []int32 `json:"values,omitempty"`
	}
	deploymentSpec struct {
		Replicas                *int32             `json:"replicas,omitempty"`
		Selector                *labelSelector     `json:"selector"`
		Template                podTemplateSpec    `json:"template"`
		Strategy                deploymentStrategy `json:"strategy,omitempty"`
		MinReadySeconds         int32              `json:"minReadySeconds,omitempty"`
		RevisionHistoryLimit    *int32             `json:"revisionHistoryLimit,omitempty"`
		Paused                  bool               `json:"paused,omitempty"`
		ProgressDeadlineSeconds *int32             `json:"progressDeadlineSeconds,omitempty"`
	}
	deploymentStrategy struct {
		Type          string                   `json:"type,omitempty"`
		RollingUpdate *rollingUpdateDeployment `json:"rollingUpdate,omitempty"`
	}
	downwardAPIProjection struct {
		Items []downwardAPIVolumeFile `json:"items,omitempty"`
	}
	downwardAPIVolumeFile struct {
		Path             string                 `json:"path"`
		FieldRef         *objectFieldSelector   `json:"fieldRef,omitempty"`
		ResourceFieldRef *resourceFieldSelector `json:"resourceFieldRef,omitempty"`
		Mode             *int32                 `json:"mode,omitempty"`
		User             *int64                 `json:"user,omitempty"`
	}
	downwardAPIVolumeSource struct {
		Items       []downwardAPIVolumeFile `json:"items,omitempty"`
		DefaultMode *int32                  `json:"defaultMode,omitempty"`
		DefaultUser *int64                  `json:"defaultUser,omitempty"`
	}
	emptyDirVolumeSource struct {
		Medium    string    `json:"medium,omitempty"`
		SizeLimit *quantity `json:"sizeLimit,omitempty"`
		Mode      *int32    `json:"mode,omitempty"`
	}
	envFromSource struct {
		Prefix       string              `json:"prefix,omitempty"`
		ConfigMapRef *configMapEnvSource `json:"configMapRef,omitempty"`
		SecretRef    *secretEnvSource    `json:"secretRef,omitempty"`
	}
	envVar struct {
		Name      string        `json:"name"`
		Value     string        `json:"value,omitempty"`
		ValueFrom *envVarSource `json:"valueFrom,omitempty"`
	}
	envVarSource struct {
		FieldRef         *objectFieldSelector   `json:"fieldRef,omitempty"`
		ResourceFieldRef *resourceFieldSelector `json:"resourceFieldRef,omitempty"`
		ConfigMapKeyRef  *configMapKeySelector  `json:"configMapKeyRef,omitempty"`
		SecretKeyRef     *secretKeySelector     `json:"secretKeyRef,omitempty"`
		FileKeyRef       *fileKeySelector       `json:"fileKeyRef,omitempty"`
	}
	ephemeralContainer struct {
		Name                     string                  `json:"name"`
		Image                    string                  `json:"image,omitempty"`
		Command                  []string                `json:"command,omitempty"`
		Args                     []string                `json:"args,omitempty"`
		WorkingDir               string                  `json:"workingDir,omitempty"`
		Ports                    []containerPort         `json:"ports,omitempty" patchMergeKey:"containerPort"`
		EnvFrom                  []envFromSource         `json:"envFrom,omitempty"`
		Env                      []envVar                `json:"env,omitempty" patchMergeKey:"name"`
		Resources                resourceRequirements    `json:"resources,omitempty"`
		ResizePolicy             []containerResizePolicy `json:"resizePolicy,omitempty"`
		RestartPolicy            *string                 `json:"restartPolicy,omitempty"`
		RestartPolicyRules       []containerRestartRule  `json:"restartPolicyRules,omitempty"`
		VolumeMounts             []volumeMount           `json:"volumeMounts,omitempty" patchMergeKey:"mountPath"`
		VolumeDevices            []volumeDevice          `json:"volumeDevices,omitempty" patchMergeKey:"devicePath"`
		LivenessProbe            *probe                  `json:"livenessProbe,omitempty"`
		ReadinessProbe           *probe                  `json:"readinessProbe,omitempty"`
		StartupProbe             *probe                  `json:"startupProbe,omitempty"`
		Lifecycle                *lifecycle              `json:"lifecycle,omitempty"`
		TerminationMessagePath   string                  `json:"terminationMessagePath,omitempty"`
		TerminationMessagePolicy string                  `json:"terminationMessagePolicy,omitempty"`
		ImagePullPolicy          string                  `json:"imagePullPolicy,omitempty"`
		SecurityContext          *securityContext        `json:"securityContext,omitempty"`
		Stdin                    bool                    `json:"stdin,omitempty"`
		StdinOnce                bool                    `json:"stdinOnce,omitempty"`
		TTY                      bool                    `json:"tty,omitempty"`
		TargetContainerName      string                  `json:"targetContainerName,omitempty"`
	}
	ephemeralVolumeSource struct {
		VolumeClaimTemplate *persistentVolumeClaimTemplate `json:"volumeClaimTemplate,omitempty"`
	}
	evictionResponder struct {
		Name     string `json:"name"`
		Priority *int32 `json:"priority"`
	}
	execAction struct {
		Command []string `json:"command,omitempty"`
	}
	fCVolumeSource struct {
		TargetWWNs []string `json:"targetWWNs,omitempty"`
		Lun        *int32   `json:"lun,omitempty"`
		FSType     string   `json:"fsType,omitempty"`
		ReadOnly   bool     `json:"readOnly,omitempty"`
		WWIDs      []string `json:"wwids,omitempty"`
	}
	fileKeySelector struct {
		VolumeName string `json:"volumeName"`
		Path       string `json:"path"`
		Key        string `json:"key"`
		Optional   *bool  `json:"optional,omitempty"`
	}
	flexVolumeSource struct {
		Driver    string                `json:"driver"`
		FSType    string                `json:"fsType,omitempty"`
		SecretRef *localObjectReference `json:"secretRef,omitempty"`
		ReadOnly  bool                  `json:"readOnly,omitempty"`
		Options   map[string]string     `json:"options,omitempty"`
	}
	flockerVolumeSource struct {
		DatasetName string `json:"datasetName,omitempty"`
		DatasetUUID string `json:"datasetUUID,omitempty"`
	}
	gCEPersistentDiskVolumeSource struct {
		PDName    string `json:"pdName"`
		FSType    string `json:"fsType,omitempty"`
		Partition int32  `json:"partition,omitempty"`
		ReadOnly  bool   `json:"readOnly,omitempty"`
	}
	gRPCAction struct {
		Port    int32   `json:"port"`
		Service *string `json:"service"`
		Mode    *string `json:"mode,omitempty"`
	}
	gitRepoVolumeSource struct {
		Repository string `json:"repository"`
		Revision   string `json:"revision,omitempty"`
		Directory  string `json:"directory,omitempty"`
	}
	glusterfsVolumeSource struct {
		EndpointsName string `json:"endpoints"`
		Path          string `json:"path"`
		ReadOnly      bool   `json:"readOnly,omitempty"`
	}
	hTTPGetAction struct {
		Path        string       `json:"path,omitempty"`
		Port        intOrString  `json:"port"`
		Host        string       `json:"host,omitempty"`
		Scheme      string       `json:"scheme,omitempty"`
		HTTPHeaders []hTTPHeader `json:"httpHeaders,omitempty"`
		Protocol    *string      `json:"protocol,omitempty"`
	}
	hTTPHeader struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	hostAlias struct {
		IP        string   `json:"ip"`
		Hostnames []string `json:"hostnames,omitempty"`
	}
	hostPathVolumeSource struct {
		Path string  `json:"path"`
		Type *string `json:"type,omitempty"`
	}
	iSCSIVolumeSource struct {
		TargetPortal      string                `json:"targetPortal"`
		IQN               string                `json:"iqn"`
		Lun               int32                 `json:"lun"`
		ISCSIInterface    string                `json:"iscsiInterface,omitempty"`
		FSType            string                `json:"fsType,omitempty"`
		ReadOnly          bool                  `json:"readOnly,omitempty"`
		Portals           []string              `json:"portals,omitempty"`
		DiscoveryCHAPAuth bool                  `json:"chapAuthDiscovery,omitempty"`
		SessionCHAPAuth   bool                  `json:"chapAuthSession,omitempty"`
		SecretRef         *localObjectReference `json:"secretRef,omitempty"`
		InitiatorName     *string               `json:"initiatorName,omitempty"`
	}
	imageVolumeSource struct {
		Reference  string `json:"reference,omitempty"`
		PullPolicy string `json:"pullPolicy,omitempty"`
	}
	keyToPath struct {
		Key  string `json:"key"`
		Path string `json:"path"`
		Mode *int32 `json:"mode,omitempty"`
		User *int64 `json:"user,omitempty"`
	}
	labelSelector struct {
		MatchLabels      map[string]string          `json:"matchLabels,omitempty"`
		MatchExpressions []labelSelectorRequirement `json:"matchExpressions,omitempty"`
	}
	labelSelectorRequirement struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values,omitempty"`
	}
	lifecycle struct {
		PostStart  *lifecycleHandler `json:"postStart,omitempty"`
		PreStop    *lifecycleHandler `json:"preStop,omitempty"`
		StopSignal *string           `json:"stopSignal,omitempty"`
	}
	lifecycleHandler struct {
		Exec      *execAction      `json:"exec,omitempty"`
		HTTPGet   *hTTPGetAction   `json:"httpGet,omitempty"`
		TCPSocket *tCPSocketAction `json:"tcpSocket,omitempty"`
		Sleep     *sleepAction     `json:"sleep,omitempty"`
	}
	localObjectReference struct {
		Name string `json:"name,omitempty"`
	}
	managedFieldsEntry struct {
		Manager     string   `json:"manager,omitempty"`
		Operation   string   `json:"operation,omitempty"`
		APIVersion  string   `json:"apiVersion,omitempty"`
		Time        *managed `json:"time,omitempty"`
		FieldsType  string   `json:"fieldsType,omitempty"`
		FieldsV1    *managed `json:"fieldsV1,omitempty"`
		Subresource string   `json:"subresource,omitempty"`
	}
	nFSVolumeSource struct {
		Server   string `json:"server"`
		Path     string `json:"path"`
		ReadOnly bool   `json:"readOnly,omitempty"`
	}
	nodeAffinity struct {
		RequiredDuringSchedulingIgnoredDuringExecution  *nodeSelector             `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
		PreferredDuringSchedulingIgnoredDuringExecution []preferredSchedulingTerm `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty"`
	}
	nodeSelector struct {
		NodeSelectorTerms []nodeSelectorTerm `json:"nodeSelectorTerms"`
	}
	nodeSelectorRequirement struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values,omitempty"`
	}
	nodeSelectorTerm struct {
		MatchExpressions []nodeSelectorRequirement `json:"matchExpressions,omitempty"`
		MatchFields      []nodeSelectorRequirement `json:"matchFields,omitempty"`
	}
	objectFieldSelector struct {
		APIVersion string `json:"apiVersion,omitempty"`
		FieldPath  string `json:"fieldPath"`
	}
	objectMeta struct {
		Name                       string               `json:"name,omitempty"`
		GenerateName               string               `json:"generateName,omitempty"`
		Namespace                  string               `json:"namespace,omitempty"`
		SelfLink                   string               `json:"selfLink,omitempty"`
		UID                        string               `json:"uid,omitempty"`
		ResourceVersion            string               `json:"resourceVersion,omitempty"`
		Generation                 int64                `json:"generation,omitempty"`
		CreationTimestamp          managed              `json:"creationTimestamp,omitempty,omitzero"`
		DeletionTimestamp          *managed             `json:"deletionTimestamp,omitempty"`
		DeletionGracePeriodSeconds *int64               `json:"deletionGracePeriodSeconds,omitempty"`
		Labels                     map[string]string    `json:"labels,omitempty"`
		Annotations                map[string]string    `json:"annotations,omitempty"`
		OwnerReferences            []ownerReference     `json:"ownerReferences,omitempty" patchMergeKey:"uid"`
		Finalizers                 []string             `json:"finalizers,omitempty"`
		ManagedFields              []managedFieldsEntry `json:"managedFields,omitempty"`
	}
	ownerReference struct {
		APIVersion         string `json:"apiVersion"`
		Kind               string `json:"kind"`
		Name               string `json:"name"`
		UID                string `json:"uid"`
		Controller         *bool  `json:"controller,omitempty"`
		BlockOwnerDeletion *bool  `json:"blockOwnerDeletion,omitempty"`
	}
	persistentVolumeClaimSpec struct {
		AccessModes               []string                   `json:"accessModes,omitempty"`
		Selector                  *labelSelector             `json:"selector,omitempty"`
		Resources                 volumeResourceRequirements `json:"resources,omitempty"`
		VolumeName                string                     `json:"volumeName,omitempty"`
		StorageClassName          *string                    `json:"storageClassName,omitempty"`
		VolumeMode                *string                    `json:"volumeMode,omitempty"`
		DataSource                *typedLocalObjectReference `json:"dataSource,omitempty"`
		DataSourceRef             *typedObjectReference      `json:"dataSourceRef,omitempty"`
		VolumeAttributesClassName *string                    `json:"volumeAttributesClassName,omitempty"`
	}
	persistentVolumeClaimTemplate struct {
		ObjectMeta objectMeta                `json:"metadata,omitempty"`
		Spec       persistentVolumeClaimSpec `json:"spec"`
	}
	persistentVolumeClaimVolumeSource struct {
		ClaimName string `json:"claimName"`
		ReadOnly  bool   `json:"readOnly,omitempty"`
	}
	photonPersistentDiskVolumeSource struct {
		PdID   string `json:"pdID"`
		FSType string `json:"fsType,omitempty"`
	}
	podAffinity struct {
		RequiredDuringSchedulingIgnoredDuringExecution  []podAffinityTerm         `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
		PreferredDuringSchedulingIgnoredDuringExecution []weightedPodAffinityTerm `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty"`
	}
	podAffinityTerm struct {
		LabelSelector     *labelSelector `json:"labelSelector,omitempty"`
		Namespaces        []string       `json:"namespaces,omitempty"`
		TopologyKey       string         `json:"topologyKey"`
		NamespaceSelector *labelSelector `json:"namespaceSelector,omitempty"`
		MatchLabelKeys    []string       `json:"matchLabelKeys,omitempty"`
		MismatchLabelKeys []string       `json:"mismatchLabelKeys,omitempty"`
	}
	podAntiAffinity struct {
		RequiredDuringSchedulingIgnoredDuringExecution  []podAffinityTerm         `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
		PreferredDuringSchedulingIgnoredDuringExecution []weightedPodAffinityTerm `json:"preferredDuringSchedulingIgnoredDuringExecution,omitempty"`
	}
	podCertificateProjection struct {
		SignerName           string            `json:"signerName,omitempty"`
		KeyType              string            `json:"keyType,omitempty"`
		MaxExpirationSeconds *int32            `json:"maxExpirationSeconds,omitempty"`
		CredentialBundlePath string            `json:"credentialBundlePath,omitempty"`
		KeyPath              string            `json:"keyPath,omitempty"`
		CertificateChainPath string            `json:"certificateChainPath,omitempty"`
		UserAnnotations      map[string]string `json:"userAnnotations,omitempty"`
		User                 *int64            `json:"user,omitempty"`
	}
	podDNSConfig struct {
		Nameservers []string             `json:"nameservers,omitempty"`
		Searches    []string             `json:"searches,omitempty"`
		Options     []podDNSConfigOption `json:"options,omitempty"`
	}
	podDNSConfigOption struct {
		Name  string  `json:"name,omitempty"`
		Value *string `json:"value,omitempty"`
	}
	podOS struct {
		Name string `json:"name"`
	}
	podReadinessGate struct {
		ConditionType string `json:"conditionType"`
	}
	podResourceClaim struct {
		Name                      string  `json:"name"`
		ResourceClaimName         *string `json:"resourceClaimName,omitempty"`
		ResourceClaimTemplateName *string `json:"resourceClaimTemplateName,omitempty"`
	}
	podSchedulingGate struct {
		Name string `json:"name"`
	}
	podSchedulingGroup struct {
		PodGroupName *string `json:"podGroupName,omitempty"`
	}
	podSecurityContext struct {
		SELinuxOptions           *sELinuxOptions                `json:"seLinuxOptions,omitempty"`
		WindowsOptions           *windowsSecurityContextOptions `json:"windowsOptions,omitempty"`
		RunAsUser                *int64                         `json:"runAsUser,omitempty"`
		RunAsGroup               *int64                         `json:"runAsGroup,omitempty"`
		RunAsNonRoot             *bool                          `json:"runAsNonRoot,omitempty"`
		SupplementalGroups       []int64                        `json:"supplementalGroups,omitempty"`
		SupplementalGroupsPolicy *string                        `json:"supplementalGroupsPolicy,omitempty"`
		FSGroup                  *int64                         `json:"fsGroup,omitempty"`
		Sysctls                  []sysctl                       `json:"sysctls,omitempty"`
		FSGroupChangePolicy      *string                        `json:"fsGroupChangePolicy,omitempty"`
		SeccompProfile           *seccompProfile                `json:"seccompProfile,omitempty"`
		AppArmorProfile          *appArmorProfile               `json:"appArmorProfile,omitempty"`
		SELinuxChangePolicy      *string                        `json:"seLinuxChangePolicy,omitempty"`
	}
	podSpec struct {
		Volumes                       []volume                   `json:"volumes,omitempty" patchMergeKey:"name"`
		InitContainers                []container                `json:"initContainers,omitempty" patchMergeKey:"name"`
		Containers                    []container                `json:"containers" patchMergeKey:"name"`
		EphemeralContainers           []ephemeralContainer       `json:"ephemeralContainers,omitempty" patchMergeKey:"name"`
		RestartPolicy                 string                     `json:"restartPolicy,omitempty"`
		TerminationGracePeriodSeconds *int64                     `json:"terminationGracePeriodSeconds,omitempty"`
		ActiveDeadlineSeconds         *int64                     `json:"activeDeadlineSeconds,omitempty"`
		DNSPolicy                     string                     `json:"dnsPolicy,omitempty"`
		NodeSelector                  map[string]string          `json:"nodeSelector,omitempty"`
		ServiceAccountName            string                     `json:"serviceAccountName,omitempty"`
		DeprecatedServiceAccount      string                     `json:"serviceAccount,omitempty"`
		AutomountServiceAccountToken  *bool                      `json:"automountServiceAccountToken,omitempty"`
		NodeName                      string                     `json:"nodeName,omitempty"`
		HostNetwork                   bool                       `json:"hostNetwork,omitempty"`
		HostPID                       bool                       `json:"hostPID,omitempty"`
		HostIPC                       bool                       `json:"hostIPC,omitempty"`
		ShareProcessNamespace         *bool                      `json:"shareProcessNamespace,omitempty"`
		SecurityContext               *podSecurityContext        `json:"securityContext,omitempty"`
		ImagePullSecrets              []localObjectReference     `json:"imagePullSecrets,omitempty" patchMergeKey:"name"`
		Hostname                      string                     `json:"hostname,omitempty"`
		Subdomain                     string                     `json:"subdomain,omitempty"`
		Affinity                      *affinity                  `json:"affinity,omitempty"`
		SchedulerName                 string                     `json:"schedulerName,omitempty"`
		Tolerations                   []toleration               `json:"tolerations,omitempty"`
		HostAliases                   []hostAlias                `json:"hostAliases,omitempty" patchMergeKey:"ip"`
		PriorityClassName             string                     `json:"priorityClassName,omitempty"`
		Priority                      *int32                     `json:"priority,omitempty"`
		DNSConfig                     *podDNSConfig              `json:"dnsConfig,omitempty"`
		ReadinessGates                []podReadinessGate         `json:"readinessGates,omitempty"`
		RuntimeClassName              *string                    `json:"runtimeClassName,omitempty"`
		EnableServiceLinks            *bool                      `json:"enableServiceLinks,omitempty"`
		PreemptionPolicy              *string                    `json:"preemptionPolicy,omitempty"`
		Overhead                      map[string]quantity        `json:"overhead,omitempty"`
		TopologySpreadConstraints     []topologySpreadConstraint `json:"topologySpreadConstraints,omitempty" patchMergeKey:"topologyKey"`
		SetHostnameAsFQDN             *bool                      `json:"setHostnameAsFQDN,omitempty"`
		OS                            *podOS                     `json:"os,omitempty"`
		HostUsers                     *bool                      `json:"hostUsers,omitempty"`
		SchedulingGates               []podSchedulingGate        `json:"schedulingGates,omitempty" patchMergeKey:"name"`
		ResourceClaims                []podResourceClaim         `json:"resourceClaims,omitempty" patchMergeKey:"name"`
		Resources                     *resourceRequirements      `json:"resources,omitempty"`
		HostnameOverride              *string                    `json:"hostnameOverride,omitempty"`
		SchedulingGroup               *podSchedulingGroup        `json:"schedulingGroup,omitempty"`
		EvictionResponders            []evictionResponder        `json:"evictionResponders,omitempty" patchMergeKey:"name"`
	}
	podTemplateSpec struct {
		ObjectMeta objectMeta `json:"metadata,omitempty"`
		Spec       podSpec    `json:"spec,omitempty"`
	}
	portworxVolumeSource struct {
		VolumeID string `json:"volumeID"`
		FSType   string `json:"fsType,omitempty"`
		ReadOnly bool   `json:"readOnly,omitempty"`
	}
	preferredSchedulingTerm struct {
		Weight     int32            `json:"weight"`
		Preference nodeSelectorTerm `json:"preference"`
	}
	probe struct {
		Exec                          *execAction      `json:"exec,omitempty"`
		HTTPGet                       *hTTPGetAction   `json:"httpGet,omitempty"`
		TCPSocket                     *tCPSocketAction `json:"tcpSocket,omitempty"`
		GRPC                          *gRPCAction      `json:"grpc,omitempty"`
		InitialDelaySeconds           int32            `json:"initialDelaySeconds,omitempty"`
		TimeoutSeconds                int32            `json:"timeoutSeconds,omitempty"`
		PeriodSeconds                 int32            `json:"periodSeconds,omitempty"`
		SuccessThreshold              int32            `json:"successThreshold,omitempty"`
		FailureThreshold              int32            `json:"failureThreshold,omitempty"`
		TerminationGracePeriodSeconds *int64           `json:"terminationGracePeriodSeconds,omitempty"`
	}
	projectedVolumeSource struct {
		Sources     []volumeProjection `json:"sources"`
		DefaultMode *int32             `json:"defaultMode,omitempty"`
		DefaultUser *int64             `json:"defaultUser,omitempty"`
	}
	quobyteVolumeSource struct {
		Registry string `json:"registry"`
		Volume   string `json:"volume"`
		ReadOnly bool   `json:"readOnly,omitempty"`
		User     string `json:"user,omitempty"`
		Group    string `json:"group,omitempty"`
		Tenant   string `json:"tenant,omitempty"`
	}
	rBDVolumeSource struct {
		CephMonitors []string              `json:"monitors"`
		RBDImage     string                `json:"image"`
		FSType       string                `json:"fsType,omitempty"`
		RBDPool      string                `json:"pool,omitempty"`
		RadosUser    string                `json:"user,omitempty"`
		Keyring      string                `json:"keyring,omitempty"`
		SecretRef    *localObjectReference `json:"secretRef,omitempty"`
		ReadOnly     bool                  `json:"readOnly,omitempty"`
	}
	resourceClaim struct {
		Name    string `json:"name"`
		Request string `json:"request,omitempty"`
	}
	resourceFieldSelector struct {
		ContainerName string   `json:"containerName,omitempty"`
		Resource      string   `json:"resource"`
		Divisor       quantity `json:"divisor,omitempty"`
	}
	resourceRequirements struct {
		Limits   map[string]quantity `json:"limits,omitempty"`
		Requests map[string]quantity `json:"requests,omitempty"`
		Claims   []resourceClaim     `json:"claims,omitempty"`
	}
	rollingUpdateDeployment struct {
		MaxUnavailable *intOrString `json:"maxUnavailable,omitempty"`
		MaxSurge       *intOrString `json:"maxSurge,omitempty"`
	}
	sELinuxOptions struct {
		User  string `json:"user,omitempty"`
		Role  string `json:"role,omitempty"`
		Type  string `json:"type,omitempty"`
		Level string `json:"level,omitempty"`
	}
	scaleIOVolumeSource struct {
		Gateway          string                `json:"gateway"`
		System           string                `json:"system"`
		SecretRef        *localObjectReference `json:"secretRef"`
		SSLEnabled       bool                  `json:"sslEnabled,omitempty"`
		ProtectionDomain string                `json:"protectionDomain,omitempty"`
		StoragePool      string                `json:"storagePool,omitempty"`
		StorageMode      string                `json:"storageMode,omitempty"`
		VolumeName       string                `json:"volumeName,omitempty"`
		FSType           string                `json:"fsType,omitempty"`
		ReadOnly         bool                  `json:"readOnly,omitempty"`
	}
	seccompProfile struct {
		Type             string  `json:"type"`
		LocalhostProfile *string `json:"localhostProfile,omitempty"`
	}
	secretEnvSource struct {
		Name     string `json:"name,omitempty"`
		Optional *bool  `json:"optional,omitempty"`
	}
	secretKeySelector struct {
		Name     string `json:"name,omitempty"`
		Key      string `json:"key"`
		Optional *bool  `json:"optional,omitempty"`
	}
	secretProjection struct {
		Name     string      `json:"name,omitempty"`
		Items    []keyToPath `json:"items,omitempty"`
		Optional *bool       `json:"optional,omitempty"`
	}
	secretVolumeSource struct {
		SecretName  string      `json:"secretName,omitempty"`
		Items       []keyToPath `json:"items,omitempty"`
		DefaultMode *int32      `json:"defaultMode,omitempty"`
		Optional    *bool       `json:"optional,omitempty"`
		DefaultUser *int64      `json:"defaultUser,omitempty"`
	}
	securityContext struct {
		Capabilities             *capabilities                  `json:"capabilities,omitempty"`
		Privileged               *bool                          `json:"privileged,omitempty"`
		SELinuxOptions           *sELinuxOptions                `json:"seLinuxOptions,omitempty"`
		WindowsOptions           *windowsSecurityContextOptions `json:"windowsOptions,omitempty"`
		RunAsUser                *int64                         `json:"runAsUser,omitempty"`
		RunAsGroup               *int64                         `json:"runAsGroup,omitempty"`
		RunAsNonRoot             *bool                          `json:"runAsNonRoot,omitempty"`
		ReadOnlyRootFilesystem   *bool                          `json:"readOnlyRootFilesystem,omitempty"`
		AllowPrivilegeEscalation *bool                          `json:"allowPrivilegeEscalation,omitempty"`
		ProcMount                *string                        `json:"procMount,omitempty"`
		SeccompProfile           *seccompProfile                `json:"seccompProfile,omitempty"`
		AppArmorProfile          *appArmorProfile               `json:"appArmorProfile,omitempty"`
	}
	serviceAccountTokenProjection struct {
		Audience          string `json:"audience,omitempty"`
		ExpirationSeconds *int64 `json:"expirationSeconds,omitempty"`
		Path              string `json:"path"`
		User              *int64 `json:"user,omitempty"`
	}
	sleepAction struct {
		Seconds int64 `json:"seconds"`
	}
	storageOSVolumeSource struct {
		VolumeName      string                `json:"volumeName,omitempty"`
		VolumeNamespace string                `json:"volumeNamespace,omitempty"`
		FSType          string                `json:"fsType,omitempty"`
		ReadOnly        bool                  `json:"readOnly,omitempty"`
		SecretRef       *localObjectReference `json:"secretRef,omitempty"`
	}
	sysctl struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	tCPSocketAction struct {
		Port intOrString `json:"port"`
		Host string      `json:"host,omitempty"`
	}
	toleration struct {
		Key               string `json:"key,omitempty"`
		Operator          string `json:"operator,omitempty"`
		Value             string `json:"value,omitempty"`
		Effect            string `json:"effect,omitempty"`
		TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
	}
	topologySpreadConstraint struct {
		MaxSkew            int32          `json:"maxSkew"`
		TopologyKey        string         `json:"topologyKey"`
		WhenUnsatisfiable  string         `json:"whenUnsatisfiable"`
		LabelSelector      *labelSelector `json:"labelSelector,omitempty"`
		MinDomains         *int32         `json:"minDomains,omitempty"`
		NodeAffinityPolicy *string        `json:"nodeAffinityPolicy,omitempty"`
		NodeTaintsPolicy   *string        `json:"nodeTaintsPolicy,omitempty"`
		MatchLabelKeys     []string       `json:"matchLabelKeys,omitempty"`
	}
	typedLocalObjectReference struct {
		APIGroup *string `json:"apiGroup"`
		Kind     string  `json:"kind"`
		Name     string  `json:"name"`
	}
	typedObjectReference struct {
		APIGroup  *string `json:"apiGroup"`
		Kind      string  `json:"kind"`
		Name      string  `json:"name"`
		Namespace *string `json:"namespace,omitempty"`
	}
	volume struct {
		Name                  string                             `json:"name"`
		HostPath              *hostPathVolumeSource              `json:"hostPath,omitempty"`
		EmptyDir              *emptyDirVolumeSource              `json:"emptyDir,omitempty"`
		GCEPersistentDisk     *gCEPersistentDiskVolumeSource     `json:"gcePersistentDisk,omitempty"`
		AWSElasticBlockStore  *aWSElasticBlockStoreVolumeSource  `json:"awsElasticBlockStore,omitempty"`
		GitRepo               *gitRepoVolumeSource               `json:"gitRepo,omitempty"`
		Secret                *secretVolumeSource                `json:"secret,omitempty"`
		NFS                   *nFSVolumeSource                   `json:"nfs,omitempty"`
		ISCSI                 *iSCSIVolumeSource                 `json:"iscsi,omitempty"`
		Glusterfs             *glusterfsVolumeSource             `json:"glusterfs,omitempty"`
		PersistentVolumeClaim *persistentVolumeClaimVolumeSource `json:"persistentVolumeClaim,omitempty"`
		RBD                   *rBDVolumeSource                   `json:"rbd,omitempty"`
		FlexVolume            *flexVolumeSource                  `json:"flexVolume,omitempty"`
		Cinder                *cinderVolumeSource                `json:"cinder,omitempty"`
		CephFS                *cephFSVolumeSource                `json:"cephfs,omitempty"`
		Flocker               *flockerVolumeSource               `json:"flocker,omitempty"`
		DownwardAPI           *downwardAPIVolumeSource           `json:"downwardAPI,omitempty"`
		FC                    *fCVolumeSource                    `json:"fc,omitempty"`
		AzureFile             *azureFileVolumeSource             `json:"azureFile,omitempty"`
		ConfigMap             *configMapVolumeSource             `json:"configMap,omitempty"`
		VsphereVolume         *vsphereVirtualDiskVolumeSource    `json:"vsphereVolume,omitempty"`
		Quobyte               *quobyteVolumeSource               `json:"quobyte,omitempty"`
		AzureDisk             *azureDiskVolumeSource             `json:"azureDisk,omitempty"`
		PhotonPersistentDisk  *photonPersistentDiskVolumeSource  `json:"photonPersistentDisk,omitempty"`
		Projected             *projectedVolumeSource             `json:"projected,omitempty"`
		PortworxVolume        *portworxVolumeSource              `json:"portworxVolume,omitempty"`
		ScaleIO               *scaleIOVolumeSource               `json:"scaleIO,omitempty"`
		StorageOS             *storageOSVolumeSource             `json:"storageos,omitempty"`
		CSI                   *cSIVolumeSource                   `json:"csi,omitempty"`
		Ephemeral             *ephemeralVolumeSource             `json:"ephemeral,omitempty"`
		Image                 *imageVolumeSource                 `json:"image,omitempty"`
	}
	volumeDevice struct {
		Name       string `json:"name"`
		DevicePath string `json:"devicePath"`
	}
	volumeMount struct {
		Name              string   `json:"name"`
		ReadOnly          bool     `json:"readOnly,omitempty"`
		RecursiveReadOnly *string  `json:"recursiveReadOnly,omitempty"`
		MountPath         string   `json:"mountPath"`
		SubPath           string   `json:"subPath,omitempty"`
		MountPropagation  *string  `json:"mountPropagation,omitempty"`
		SubPathExpr       string   `json:"subPathExpr,omitempty"`
		BindMountOptions  []string `json:"bindMountOptions,omitempty"`
	}
	volumeProjection struct {
		Secret              *secretProjection              `json:"secret,omitempty"`
		DownwardAPI         *downwardAPIProjection         `json:"downwardAPI,omitempty"`
		ConfigMap           *configMapProjection           `json:"configMap,omitempty"`
		ServiceAccountToken *serviceAccountTokenProjection `json:"serviceAccountToken,omitempty"`
		ClusterTrustBundle  *clusterTrustBundleProjection  `json:"clusterTrustBundle,omitempty"`
		PodCertificate      *podCertificateProjection      `json:"podCertificate,omitempty"`
	}
	volumeResourceRequirements struct {
		Limits   map[string]quantity `json:"limits,omitempty"`
		Requests map[string]quantity `json:"requests,omitempty"`
	}
	vsphereVirtualDiskVolumeSource struct {
		VolumePath        string `json:"volumePath"`
		FSType            string `json:"fsType,omitempty"`
		StoragePolicyName string `json:"storagePolicyName,omitempty"`
		StoragePolicyID   string `json:"storagePolicyID,omitempty"`
	}
	weightedPodAffinityTerm struct {
		Weight          int32           `json:"weight"`
		PodAffinityTerm podAffinityTerm `json:"podAffinityTerm"`
	}
	windowsSecurityContextOptions struct {
		GMSACredentialSpecName *string `json:"gmsaCredentialSpecName,omitempty"`
		GMSACredentialSpec     *string `json:"gmsaCredentialSpec,omitempty"`
		RunAsUserName          *string `json:"runAsUserName,omitempty"`
		HostProcess            *bool   `json:"hostProcess,omitempty"`
	}
)
